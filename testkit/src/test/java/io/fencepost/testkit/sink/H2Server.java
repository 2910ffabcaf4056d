package io.fencepost.testkit.sink;

import java.nio.file.Path;
import org.h2.tools.Server;
import org.jspecify.annotations.Nullable;

/** H2 behind a port of this machine, its files in a directory. */
final class H2Server implements TestDatabase {
  private final Path directory;
  private int port;
  private @Nullable Server server;

  H2Server(Path directory) {
    this.directory = directory;
  }

  @Override
  public String url() {
    return "jdbc:h2:tcp://localhost:" + port + "/./test;LOCK_TIMEOUT=5000";
  }

  @Override
  public void start() throws Exception {
    server =
        Server.createTcpServer(
                "-tcpPort", String.valueOf(port), "-ifNotExists", "-baseDir", directory.toString())
            .start();
    port = server.getPort();
  }

  @Override
  public void stop() {
    if (server != null) {
      server.stop();
    }
  }

  @Override
  public void delete() {
    stop();
  }
}
