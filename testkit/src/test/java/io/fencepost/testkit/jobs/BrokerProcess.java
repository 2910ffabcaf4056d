package io.fencepost.testkit.jobs;

import io.fencepost.testkit.kill.ServerProcess;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;

/** A Fencepost broker in a process of its own, on one port and one directory, to be killed. */
final class BrokerProcess {
  private final Path directory;
  private final int port;
  private ServerProcess server;

  private BrokerProcess(Path directory, int port, ServerProcess server) {
    this.directory = directory;
    this.port = port;
    this.server = server;
  }

  static BrokerProcess start(Path directory) throws IOException {
    int port = freePort();
    return new BrokerProcess(directory, port, launch(directory, port));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static ServerProcess launch(Path directory, int port) throws IOException {
    return ServerProcess.start(directory, port, JobBehaviour.SHORTEST_SESSION, "1000");
  }

  String bootstrapServers() {
    return "localhost:" + port;
  }

  /** As kill -9. */
  void kill() throws InterruptedException {
    server.kill();
  }

  /** As SIGTERM; returns when the process is gone. */
  void stop() throws InterruptedException {
    server.stop();
  }

  /** On the same directory and port. */
  void restart() throws IOException {
    server = launch(directory, port);
  }
}
