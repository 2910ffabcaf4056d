package io.fencepost.testkit.net;

import static org.awaitility.Awaitility.await;

import io.fencepost.testkit.brokers.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("kafka")
class ProxyOnKafkaClusterIT extends ProxyClusterBehaviour {
  @RegisterExtension
  static final TestBroker CLUSTER =
      TestBroker.kafkaCluster(Map.of("auto.leader.rebalance.enable", "false"));

  @Override
  String upstream() {
    return CLUSTER.bootstrapServers();
  }

  @Override
  void kill(int broker) {
    CLUSTER.kill(broker);
  }

  @Override
  void restart(int broker) {
    CLUSTER.restart(broker);
  }

  /** The first of its replicas is the one that an election prefers. */
  @Override
  void moveLeader(TopicPartition partition, int broker) throws Exception {
    List<Integer> replicas = new ArrayList<>(List.of(broker, 1, 2, 3));
    replicas.remove(replicas.lastIndexOf(broker));
    try (Admin admin = admin(upstream())) {
      admin
          .alterPartitionReassignments(
              Map.of(partition, Optional.of(new NewPartitionReassignment(replicas))))
          .all()
          .get();
      await()
          .atMost(Duration.ofMinutes(3))
          .ignoreExceptions()
          .until(
              () -> {
                admin.electLeaders(ElectionType.PREFERRED, Set.of(partition)).partitions().get();
                return leader(partition) == broker;
              });
    }
  }
}
