package io.fencepost.txn.coordinator;

import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.replica.Peer;
import io.fencepost.broker.replica.Peers;
import io.fencepost.broker.replica.TransactionGate;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.shard.ShardMap;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Asks the coordinator of a transactional id wherever it is: here, or at the broker that leads the
 * id's partition by this broker's view. An answer that was lost is COORDINATOR_NOT_AVAILABLE, which
 * makes the producer try again. Thread-safe.
 */
public final class RoutedTransactions implements TransactionGate {
  private final int brokerId;
  private final ClusterView cluster;
  private final TransactionGate local;
  private final Peers peers;

  /**
   * @param local this broker's own coordinator; what others are asked for is theirs
   */
  public RoutedTransactions(int brokerId, ClusterView cluster, TransactionGate local, Peers peers) {
    this.brokerId = brokerId;
    this.cluster = cluster;
    this.local = local;
    this.peers = peers;
  }

  @Override
  public void admit(AdmitRequest request, Consumer<SortedMap<TopicPartition, WireError>> answer) {
    int leader = leaderOf(request.transactionalId());
    if (leader == brokerId) {
      local.admit(request, answer);
    } else if (leader == PartitionState.NO_LEADER) {
      answer.accept(notAvailable(request));
    } else {
      peers.<SortedMap<TopicPartition, WireError>>ask(
          leader,
          (peer, reply) -> askThere(peer, request, reply),
          answer,
          () -> answer.accept(notAvailable(request)));
    }
  }

  private int leaderOf(String transactionalId) {
    TopicState topic = cluster.state().topic(TxnCoordinator.TOPIC);
    return topic == null
        ? PartitionState.NO_LEADER
        : topic
            .partitions()
            .get(ShardMap.partitionFor(transactionalId, topic.partitions().size()))
            .leader();
  }

  private static void askThere(
      Peer peer, AdmitRequest request, Peers.Reply<SortedMap<TopicPartition, WireError>> reply) {
    TransactionGate there = peer.transactions();
    if (there == null) {
      reply.send(notAvailable(request));
    } else {
      there.admit(request, reply::send);
    }
  }

  private static SortedMap<TopicPartition, WireError> notAvailable(AdmitRequest request) {
    return all(request.partitions(), WireError.COORDINATOR_NOT_AVAILABLE);
  }

  /** The same answer for all of them. */
  public static SortedMap<TopicPartition, WireError> all(
      List<TopicPartition> partitions, WireError error) {
    TreeMap<TopicPartition, WireError> answer = new TreeMap<>();
    partitions.forEach(partition -> answer.put(partition, error));
    return answer;
  }

  /** The operator of this broker is told. */
  @Override
  public void refused(String why) {
    local.refused(why);
  }
}
