package io.fencepost.samples.bench;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;

/**
 * Apache Kafka's own programs, each in a JVM of its own. A node's directory holds its properties
 * and what the programs print.
 */
final class KafkaPrograms {
  static final String NAME = "Apache Kafka 4.4.0";

  private static final String CLUSTER_ID = "c2RmZ2hqa2xxd2VydHl1aQ";
  private static final int READY_TIMEOUT_SECONDS = 120;
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Path jars;
  private final CleanUp cleanUp;

  /**
   * @param jars the directory with Kafka's jars
   * @param cleanUp ends the programs if nobody else does
   */
  KafkaPrograms(Path jars, CleanUp cleanUp) {
    this.jars = jars;
    this.cleanUp = cleanUp;
  }

  /** Writes a node's properties and formats its storage. */
  void format(Path directory, List<String> settings, String... options) throws Exception {
    Files.write(properties(directory), settings);
    List<String> arguments = new ArrayList<>(List.of("format", "-t", CLUSTER_ID));
    arguments.addAll(List.of("-c", properties(directory).toString()));
    arguments.addAll(List.of(options));
    Process format = launch(directory, List.of("-Xmx256m"), "kafka.tools.StorageTool", arguments);
    if (format.waitFor() != 0) {
      throw new IllegalStateException(
          "Kafka's storage tool failed: " + Files.readString(log(directory)));
    }
  }

  /** Launches the node of a formatted directory, with 1 GiB of heap and G1 as it ships. */
  Process node(Path directory) throws IOException {
    return launch(
        directory,
        List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC"),
        "kafka.Kafka",
        List.of(properties(directory).toString()));
  }

  /** Returns once the cluster tells clients of so many brokers that serve. */
  static void awaitReady(String bootstrap, int brokers) throws Exception {
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers", bootstrap, "default.api.timeout.ms", READY_TIMEOUT_SECONDS * 1000);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_TIMEOUT_SECONDS);
    try (Admin admin = Admin.create(config)) {
      while (admin.describeCluster().nodes().get().size() < brokers) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("not all brokers of Apache Kafka got ready");
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("Apache Kafka did not get ready", e.getCause());
    }
  }

  /** Different ports that were free a moment ago. */
  static List<Integer> freePorts(int count) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      List<Integer> ports = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        ServerSocket socket = new ServerSocket(0);
        sockets.add(socket);
        ports.add(socket.getLocalPort());
      }
      return ports;
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
  }

  private Process launch(
      Path directory, List<String> options, String mainClass, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", jars + "/*", mainClass));
    command.addAll(arguments);
    return cleanUp.launch(
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log(directory).toFile()))
            .redirectErrorStream(true));
  }

  private static Path properties(Path directory) {
    return directory.resolve("server.properties");
  }

  private static Path log(Path directory) {
    return directory.resolve("kafka.log");
  }
}
