package io.fencepost.samples.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
  /** Before a transaction's first batch is tried again, and until a broker counts as dead. */
  static final List<String> SHORT_WAITS =
      List.of(
          "add.partitions.to.txn.retry.backoff.ms=1",
          "broker.heartbeat.interval.ms=500",
          "broker.session.timeout.ms=3000");

  private static final int INTERNAL_PARTITIONS = 4;

  private final KafkaPrograms programs;
  private final String name;
  private final List<String> more;

  /** With Apache Kafka's defaults. */
  KafkaClusterContender(KafkaPrograms programs) {
    this(programs, KafkaPrograms.NAME, List.of());
  }

  private KafkaClusterContender(KafkaPrograms programs, String name, List<String> more) {
    this.programs = programs;
    this.name = name;
    this.more = more;
  }

  /**
   * With shorter waits than the defaults where these, and not the work, make up what is measured.
   */
  static KafkaClusterContender impatient(KafkaPrograms programs) {
    return new KafkaClusterContender(
        programs, KafkaPrograms.NAME + " with short waits", SHORT_WAITS);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Cluster start(Path directory) throws Exception {
    List<Integer> ports = KafkaPrograms.freePorts(2 * BROKERS);
    List<Integer> controllers = ports.subList(BROKERS, ports.size());
    Map<Integer, Path> nodes = new TreeMap<>();
    for (int id = 1; id <= BROKERS; id++) {
      Path home = Files.createDirectory(directory.resolve("node-" + id));
      List<String> settings = new ArrayList<>(settings(home, id, ports.get(id - 1), controllers));
      settings.addAll(more);
      programs.format(home, settings);
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
