package io.fencepost.samples.bench;

import io.fencepost.broker.wire.WireError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.Node;

/**
 * Kills the coordinator of many transactional ids, on each cluster in turns, and asks the next one
 * over connections that are open already, so that no client's back-off is in the figures.
 */
final class CoordinatorRace {
  /**
   * One kill.
   *
   * @param electionMillis from the kill until a living broker names the next coordinator
   * @param answerMillis from then to its first answer about a transactional id
   * @param identityMillis from the election to the first producer epoch that it hands out
   * @param around what else ran
   */
  record Move(double electionMillis, double answerMillis, double identityMillis, Around around) {}

  private static final String TOPIC = "__transaction_state";
  private static final int PARTITIONS = 4;
  private static final int PARTITION = 0;

  private final List<ClusterContender> contenders;
  private final List<String> ids;
  private final int kills;
  private final Consumer<String> progress;

  /**
   * @param ids how many one coordinator has
   * @param kills of each cluster
   */
  CoordinatorRace(
      List<ClusterContender> contenders, int ids, int kills, Consumer<String> progress) {
    this.contenders = contenders;
    this.ids = TransactionalIds.of(PARTITION, PARTITIONS, ids);
    this.kills = kills;
    this.progress = progress;
  }

  /** The kills of each cluster by its name, in the order in which they ran. */
  Map<String, List<Move>> run(Path scratch) throws Exception {
    Map<String, List<Move>> results = new LinkedHashMap<>();
    List<Corner> corners = new ArrayList<>();
    try {
      for (ClusterContender contender : contenders) {
        results.put(contender.name(), new ArrayList<>());
        progress.accept("start %s, %,d ids".formatted(contender.name(), ids.size()));
        corners.add(Corner.open(contender, ids, scratch));
      }
      for (int kill = 0; kill < kills; kill++) {
        for (int turn = 0; turn < corners.size(); turn++) {
          Corner corner = corners.get(kill % 2 == 0 ? turn : corners.size() - 1 - turn);
          progress.accept("kill %d of %d, %s".formatted(kill + 1, kills, corner.name));
          results
              .computeIfAbsent(corner.name, name -> new ArrayList<>())
              .add(corner.kill(ids.get(kill)));
        }
      }
    } finally {
      corners.forEach(Corner::close);
    }
    return results;
  }

  /** A running cluster that knows the ids. */
  private record Corner(String name, Cluster cluster, Replicas replicas) {
    static Corner open(ClusterContender contender, List<String> ids, Path scratch)
        throws Exception {
      Cluster cluster = contender.start(Files.createTempDirectory(scratch, "cluster"));
      makeTransactionLog(cluster.bootstrap(), ids.get(0));
      Replicas replicas = new Replicas(cluster.bootstrap(), TOPIC, PARTITION);
      Node coordinator = replicas.leaderOnceInSync(ClusterContender.BROKERS);
      TransactionalIds.register(Probe.endpoint(coordinator), ids);
      return new Corner(contender.name(), cluster, replicas);
    }

    Move kill(String id) throws Exception {
      int coordinator = replicas.leaderOnceInSync(ClusterContender.BROKERS).id();
      try (Probe probe = Probe.of(replicas.brokersBut(coordinator), TOPIC, PARTITION)) {
        Machine.Mark mark = Machine.mark();
        Duration cpuBefore = cluster.cpu();
        long begin = System.nanoTime();
        // Beside the probe, which must not miss an election that is over before the kill is.
        CompletableFuture<Void> killed = CompletableFuture.runAsync(() -> kill(coordinator));
        int next = probe.leaderOtherThan(coordinator);
        long elected = System.nanoTime();
        probe.until(next, client -> Probe.describe(client, id) == WireError.NONE);
        long answered = System.nanoTime();
        probe.until(next, client -> TransactionalIds.init(client, id) == WireError.NONE);
        long identified = System.nanoTime();
        killed.join();
        Around around =
            Around.since(
                mark, cluster.cpu().minus(cpuBefore), Duration.ofNanos(identified - begin));
        cluster.restart(coordinator);
        return new Move(
            (elected - begin) / 1e6,
            (answered - elected) / 1e6,
            (identified - elected) / 1e6,
            around);
      }
    }

    private void kill(int broker) {
      try {
        cluster.kill(broker);
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException("cannot kill broker " + broker, e);
      }
    }

    /** Brokers make it when the first transactional id comes. */
    private static void makeTransactionLog(String bootstrap, String id) {
      KafkaProducer<byte[], byte[]> first =
          Clients.producer(bootstrap, Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id));
      try {
        first.initTransactions();
      } finally {
        Clients.close(first);
      }
    }

    void close() {
      replicas.close();
      cluster.close();
    }
  }
}
