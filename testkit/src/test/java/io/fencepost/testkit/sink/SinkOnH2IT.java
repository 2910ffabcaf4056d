package io.fencepost.testkit.sink;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** {@link SinkBehaviour} on H2. */
class SinkOnH2IT extends SinkBehaviour {
  private @Nullable H2Server database;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    database = new H2Server(directory);
    database.start();
  }

  @Override
  TestDatabase database() {
    if (database == null) {
      throw new IllegalStateException("not started");
    }
    return database;
  }
}
