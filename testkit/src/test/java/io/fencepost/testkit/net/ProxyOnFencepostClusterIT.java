package io.fencepost.testkit.net;

import io.fencepost.txn.main.FencepostCluster;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class ProxyOnFencepostClusterIT extends ProxyClusterBehaviour {
  private static FencepostCluster cluster;

  @BeforeAll
  static void start() {
    cluster = FencepostCluster.start(3);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Override
  String upstream() {
    return cluster.bootstrapServers();
  }

  @Override
  void kill(int broker) {
    cluster.kill(broker);
  }

  @Override
  void restart(int broker) {
    cluster.restart(broker);
  }

  @Override
  void moveLeader(TopicPartition partition, int broker) {
    if (cluster.leaderOf(partition.topic(), partition.partition()) != broker) {
      cluster.moveLeader(partition.topic(), partition.partition(), broker);
    }
  }
}
