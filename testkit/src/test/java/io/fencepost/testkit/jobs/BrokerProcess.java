package io.fencepost.testkit.jobs;

import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A Fencepost broker in a process of its own, on one port and one directory, to be killed. */
final class BrokerProcess implements AutoCloseable {
  private final Path directory;
  private final int port;
  private Process process;

  private BrokerProcess(Path directory, int port) throws IOException {
    this.directory = directory;
    this.port = port;
    this.process = launch();
  }

  static BrokerProcess start(Path directory) {
    try {
      BrokerProcess broker = new BrokerProcess(directory, freePort());
      broker.awaitPort();
      return broker;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  String bootstrapServers() {
    return "localhost:" + port;
  }

  private Process launch() throws IOException {
    return new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                BrokerProcess.class.getName(),
                String.valueOf(port),
                directory.toString()))
        .redirectErrorStream(true)
        .redirectOutput(
            ProcessBuilder.Redirect.appendTo(directory.resolveSibling("broker.log").toFile()))
        .start();
  }

  private void awaitPort() throws IOException {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (true) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress("localhost", port), 200);
        return;
      } catch (IOException e) {
        if (!process.isAlive() || System.nanoTime() > deadline) {
          process.destroyForcibly();
          throw new IOException("the broker did not start; see broker.log in " + directory, e);
        }
        LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
      }
    }
  }

  /** As kill -9. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  /** As SIGTERM; returns when the process is gone. */
  void stop() {
    process.destroy();
    process.onExit().join();
  }

  /** On the same directory and port. */
  void restart() {
    try {
      process = launch();
      awaitPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    kill();
  }

  public static void main(String[] args) throws InterruptedException {
    FencepostServer server =
        FencepostServer.start(
            FencepostConfig.builder()
                .port(Integer.parseInt(args[0]))
                .dir(Path.of(args[1]))
                .build());
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    Thread.currentThread().join();
  }
}
