package io.fencepost.samples.client;

import io.fencepost.testkit.net.Endpoint;
import io.fencepost.testkit.net.RawClient;
import io.fencepost.txn.main.ClusterConfig;
import io.fencepost.txn.main.FencepostCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Three brokers in this process that a lab may break, numbered from 1. Replicas and coordinators
 * are where they were put, so that two runs do the same. Not thread safe.
 */
public final class OwnCluster implements AutoCloseable {
  /** All brokers, as replicas in the order of preference. */
  public static final List<Integer> ALL = List.of(1, 2, 3);

  private final FencepostCluster brokers;
  private final Cluster cluster;

  private OwnCluster(FencepostCluster brokers, Cluster cluster) {
    this.brokers = brokers;
    this.cluster = cluster;
  }

  /** Starts it with these settings beside its own. */
  public static OwnCluster start(SortedMap<String, String> settings) {
    ClusterConfig.Builder config =
        ClusterConfig.builder()
            .brokers(ALL.size())
            .set("auto.leader.rebalance.enable", "false")
            .set("offsets.topic.num.partitions", "1")
            .set("transaction.state.log.num.partitions", "1");
    settings.forEach(config::set);
    FencepostCluster brokers = FencepostCluster.start(config.build());
    try {
      return new OwnCluster(brokers, Cluster.connect(brokers.bootstrapServers()));
    } catch (UsageException e) {
      brokers.close();
      throw e;
    }
  }

  /** The brokers, to be broken. */
  public FencepostCluster brokers() {
    return brokers;
  }

  /** The same as a client sees them. */
  public Cluster cluster() {
    return cluster;
  }

  /** The addresses to give to a client. */
  public String bootstrap() {
    return brokers.bootstrapServers();
  }

  /** A topic with a replica on each broker; partition i prefers the i-th of these leaders. */
  public void createTopic(String name, int minIsr, List<Integer> leaders) {
    Map<Integer, List<Integer>> placement = new TreeMap<>();
    for (int leader : leaders) {
      List<Integer> replicas = new ArrayList<>(ALL);
      replicas.remove(Integer.valueOf(leader));
      replicas.add(0, leader);
      placement.put(placement.size(), replicas);
    }
    cluster.createTopic(
        new NewTopic(name, placement)
            .configs(Map.of("min.insync.replicas", Integer.toString(minIsr))));
    for (int partition = 0; partition < leaders.size(); partition++) {
      brokers.awaitIsr(name, partition, ALL.toArray(Integer[]::new));
    }
  }

  /** What a reader of committed records sees, partition by partition. */
  public List<String> committed(String topic) {
    SortedMap<Integer, List<String>> byPartition = new TreeMap<>();
    CommittedReader.readAll(
        bootstrap(),
        topic,
        new StringDeserializer(),
        record ->
            byPartition
                .computeIfAbsent(record.partition(), partition -> new ArrayList<>())
                .add(record.value()));
    return byPartition.values().stream().flatMap(List::stream).toList();
  }

  /** A connection to one broker that sends exactly what it is given. */
  public RawClient raw(int broker) {
    return RawClient.connect(Endpoint.parse(brokers.bootstrapServers(broker)));
  }

  @Override
  public void close() {
    cluster.close();
    brokers.close();
  }
}
