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
import org.apache.kafka.clients.admin.Admin;

/** Apache Kafka as a KRaft node in one process, with 1 GiB of heap and G1 as it ships. */
final class KafkaContender implements Contender {
  private static final int READY_TIMEOUT_SECONDS = 120;

  private final Path jars;
  private final CleanUp cleanUp;

  /**
   * @param jars the directory with Kafka's jars
   * @param cleanUp ends the broker if nobody else does
   */
  KafkaContender(Path jars, CleanUp cleanUp) {
    this.jars = jars;
    this.cleanUp = cleanUp;
  }

  @Override
  public String name() {
    return "Apache Kafka 4.4.0";
  }

  @Override
  public BrokerProcess start(Path directory) throws Exception {
    int port = freePort();
    int controllerPort = freePort();
    Path properties = directory.resolve("server.properties");
    Files.writeString(properties, settings(directory, port, controllerPort));
    format(directory, properties);
    long started = System.nanoTime();
    Process process =
        java(directory, List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC"))
            .command("kafka.Kafka", properties.toString());
    BrokerProcess broker = new BrokerProcess(process, "localhost:" + port, started);
    awaitReady(broker, process);
    return broker;
  }

  private static String settings(Path directory, int port, int controllerPort) {
    return String.join(
        "\n",
        "process.roles=broker,controller",
        "node.id=1",
        "controller.quorum.bootstrap.servers=localhost:" + controllerPort,
        "controller.listener.names=CONTROLLER",
        "listeners=PLAINTEXT://localhost:" + port + ",CONTROLLER://localhost:" + controllerPort,
        "log.dirs=" + directory.resolve("data"),
        "offsets.topic.replication.factor=1",
        "transaction.state.log.replication.factor=1",
        "transaction.state.log.min.isr=1",
        "share.coordinator.state.topic.replication.factor=1",
        "share.coordinator.state.topic.min.isr=1",
        "group.initial.rebalance.delay.ms=0",
        "");
  }

  private void format(Path directory, Path properties) throws Exception {
    Process format =
        java(directory, List.of("-Xmx256m"))
            .command(
                "kafka.tools.StorageTool",
                "format",
                "--standalone",
                "-t",
                "c2RmZ2hqa2xxd2VydHl1aQ",
                "-c",
                properties.toString());
    if (format.waitFor() != 0) {
      throw new IllegalStateException(
          "Kafka's storage tool failed: " + Files.readString(directory.resolve("kafka.log")));
    }
  }

  private Launcher java(Path directory, List<String> options) {
    return (mainClass, arguments) -> {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(options);
      command.addAll(List.of("-cp", jars + "/*", mainClass));
      command.addAll(List.of(arguments));
      Path log = directory.resolve("kafka.log");
      return cleanUp.launch(
          new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .redirectErrorStream(true));
    };
  }

  private static void awaitReady(BrokerProcess broker, Process process) throws Exception {
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers",
            broker.bootstrap(),
            "default.api.timeout.ms",
            READY_TIMEOUT_SECONDS * 1000);
    try (Admin admin = Admin.create(config)) {
      var unused = admin.describeCluster().nodes().get(READY_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      process.destroyForcibly();
      throw new IllegalStateException("Apache Kafka did not get ready", e.getCause());
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @FunctionalInterface
  private interface Launcher {
    Process command(String mainClass, String... arguments) throws IOException;
  }
}
