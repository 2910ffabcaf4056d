package io.fencepost.testkit.sink;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** {@link SinkBehaviour} on PostgreSQL. */
class SinkOnPostgresIT extends SinkBehaviour {
  private @Nullable Postgres database;

  @BeforeAll
  void start() throws Exception {
    database = Postgres.create();
    assumeTrue(
        database != null, "PostgreSQL is not in /usr/lib/postgresql: install it to run this");
    database().start();
  }

  @Override
  @AfterAll
  void delete() throws Exception {
    if (database != null) {
      database.delete();
    }
  }

  @Override
  TestDatabase database() {
    if (database == null) {
      throw new IllegalStateException("not started");
    }
    return database;
  }
}
