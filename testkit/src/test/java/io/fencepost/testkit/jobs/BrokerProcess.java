package io.fencepost.testkit.jobs;

import io.fencepost.testkit.kill.ServerProcess;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;

/** A Fencepost broker. */
final class BrokerProcess implements KillableBroker {
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

  @Override
  public String bootstrapServers() {
    return "localhost:" + port;
  }

  @Override
  public void kill() throws InterruptedException {
    server.kill();
  }

  @Override
  public void stop() throws InterruptedException {
    server.stop();
  }

  @Override
  public void restart() throws IOException {
    server = launch(directory, port);
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }
}
