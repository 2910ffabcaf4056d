package io.fencepost.samples.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Apache Kafka as three processes on loopback, each broker and controller, with its defaults but
 * for what three brokers and a fair comparison ask: as many internal partitions as Fencepost has,
 * three replicas each, and two of them for an acknowledgement.
 */
final class KafkaClusterContender implements ClusterContender {
  private static final int INTERNAL_PARTITIONS = 4;

  private final KafkaPrograms programs;

  KafkaClusterContender(KafkaPrograms programs) {
    this.programs = programs;
  }

  @Override
  public String name() {
    return KafkaPrograms.NAME + ", " + BROKERS + " processes";
  }

  @Override
  public Cluster start(Path directory) throws Exception {
    List<Integer> ports = KafkaPrograms.freePorts(2 * BROKERS);
    List<Integer> controllers = ports.subList(BROKERS, ports.size());
    Map<Integer, Path> nodes = new TreeMap<>();
    for (int id = 1; id <= BROKERS; id++) {
      Path home = Files.createDirectory(directory.resolve("node-" + id));
      programs.format(home, settings(home, id, ports.get(id - 1), controllers));
      nodes.put(id, home);
    }
    KafkaCluster cluster =
        KafkaCluster.launch(programs, nodes, addresses(ports.subList(0, BROKERS)));
    KafkaPrograms.awaitReady(cluster.bootstrap(), BROKERS);
    return cluster;
  }

  static List<String> settings(Path home, int id, int port, List<Integer> controllers) {
    String voters =
        IntStream.range(0, controllers.size())
            .mapToObj(i -> (i + 1) + "@localhost:" + controllers.get(i))
            .collect(Collectors.joining(","));
    return List.of(
        "process.roles=broker,controller",
        "node.id=" + id,
        "controller.quorum.voters=" + voters,
        "controller.listener.names=CONTROLLER",
        "listeners=PLAINTEXT://localhost:"
            + port
            + ",CONTROLLER://localhost:"
            + controllers.get(id - 1),
        "log.dirs=" + home.resolve("data"),
        "default.replication.factor=" + BROKERS,
        "min.insync.replicas=2",
        "offsets.topic.num.partitions=" + INTERNAL_PARTITIONS,
        "offsets.topic.replication.factor=" + BROKERS,
        "transaction.state.log.num.partitions=" + INTERNAL_PARTITIONS,
        "transaction.state.log.replication.factor=" + BROKERS,
        "transaction.state.log.min.isr=2",
        "group.initial.rebalance.delay.ms=0");
  }

  private static String addresses(List<Integer> ports) {
    return ports.stream().map(port -> "localhost:" + port).collect(Collectors.joining(","));
  }
}
