package io.fencepost.samples.bench;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Kills the leader of a partition under a producer, on each cluster in turns. The killed broker
 * comes back and catches up before the next kill.
 */
final class FailoverRace {
  /**
   * One kill.
   *
   * @param millis from the kill to the acknowledgement of a record that was sent after it
   * @param around what else ran
   */
  record Kill(double millis, Around around) {}

  private static final String TOPIC = "bench-failover";

  private final List<ClusterContender> contenders;
  private final int kills;
  private final Consumer<String> progress;

  /**
   * @param kills of each cluster
   */
  FailoverRace(List<ClusterContender> contenders, int kills, Consumer<String> progress) {
    this.contenders = contenders;
    this.kills = kills;
    this.progress = progress;
  }

  /** The kills of each cluster by its name, in the order in which they ran. */
  Map<String, List<Kill>> run(Path scratch) throws Exception {
    Map<String, List<Kill>> results = new LinkedHashMap<>();
    List<Corner> corners = new ArrayList<>();
    try {
      for (ClusterContender contender : contenders) {
        results.put(contender.name(), new ArrayList<>());
        progress.accept("start " + contender.name());
        corners.add(Corner.open(contender, scratch));
      }
      for (int kill = 0; kill < kills; kill++) {
        for (int turn = 0; turn < corners.size(); turn++) {
          Corner corner = corners.get(kill % 2 == 0 ? turn : corners.size() - 1 - turn);
          progress.accept("kill %d of %d, %s".formatted(kill + 1, kills, corner.name));
          results.computeIfAbsent(corner.name, name -> new ArrayList<>()).add(corner.kill());
        }
      }
    } finally {
      corners.forEach(Corner::close);
    }
    return results;
  }

  /** A running cluster with the topic in it. */
  private record Corner(String name, Cluster cluster, Replicas replicas, LogCheck log) {
    static Corner open(ClusterContender contender, Path scratch) throws Exception {
      Cluster cluster = contender.start(Files.createTempDirectory(scratch, "cluster"));
      Clients.createReplicatedTopic(cluster.bootstrap(), TOPIC, ClusterContender.BROKERS);
      return new Corner(
          contender.name(),
          cluster,
          new Replicas(cluster.bootstrap(), TOPIC, 0),
          new LogCheck(cluster.bootstrap(), TOPIC));
    }

    Kill kill() throws Exception {
      byte[] value = "a payment of one pound".getBytes(StandardCharsets.UTF_8);
      ProducerRecord<byte[], byte[]> payment = new ProducerRecord<>(TOPIC, value);
      int leader = replicas.leaderOnceInSync(ClusterContender.BROKERS).id();
      long endBefore = log.end();
      KafkaProducer<byte[], byte[]> producer = Clients.producer(cluster.bootstrap(), Map.of());
      try {
        producer.send(payment).get();
        Machine.Mark mark = Machine.mark();
        Duration cpuBefore = cluster.cpu();
        long begin = System.nanoTime();
        cluster.kill(leader);
        producer.send(payment).get();
        Duration wall = Duration.ofNanos(System.nanoTime() - begin);
        Around around = Around.since(mark, cluster.cpu().minus(cpuBefore), wall);
        cluster.restart(leader);
        replicas.leaderOnceInSync(ClusterContender.BROKERS);
        log.grewBy(2, endBefore);
        return new Kill(wall.toNanos() / 1e6, around);
      } finally {
        Clients.close(producer);
      }
    }

    void close() {
      log.close();
      replicas.close();
      cluster.close();
    }
  }
}
