package io.fencepost.txn.coordinator;

import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.replica.MarkerRequest;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.replica.Peer;
import io.fencepost.broker.replica.Peers;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import java.util.function.Consumer;

/**
 * Markers for partitions anywhere in the cluster: brought to the leader that this broker's view
 * names now. Whoever repeats a marker that failed looks the leader up anew. Thread-safe.
 *
 * <p>A partition that the view does not have is taken for deleted: a coordinator lets into its
 * transactions only what its view has, and views only move forward.
 */
public final class ClusterMarkers implements MarkerTarget {
  private final int brokerId;
  private final ClusterView cluster;
  private final LocalMarkers local;
  private final Peers peers;

  public ClusterMarkers(int brokerId, ClusterView cluster, LocalMarkers local, Peers peers) {
    this.brokerId = brokerId;
    this.cluster = cluster;
    this.local = local;
    this.peers = peers;
  }

  @Override
  public void write(TopicPartition partition, MarkerRequest marker, Consumer<WireError> answer) {
    PartitionState state = cluster.state().partition(partition);
    if (state == null) {
      answer.accept(WireError.UNKNOWN_TOPIC_OR_PARTITION);
    } else if (state.leader() == brokerId) {
      local.write(partition, marker, answer);
    } else if (state.leader() == PartitionState.NO_LEADER) {
      answer.accept(WireError.LEADER_NOT_AVAILABLE);
    } else {
      peers.<WireError>ask(
          state.leader(),
          (peer, reply) -> append(peer, partition, marker, reply),
          answer,
          () -> answer.accept(WireError.NETWORK_EXCEPTION));
    }
  }

  /** What that broker says of a partition that it does not have counts for nothing here. */
  private static void append(
      Peer peer, TopicPartition partition, MarkerRequest marker, Peers.Reply<WireError> reply) {
    PartitionGate gate = peer.replicas().find(partition);
    if (gate == null) {
      reply.send(WireError.NOT_LEADER_OR_FOLLOWER);
    } else {
      gate.appendMarker(marker, result -> reply.send(result.error())).run();
    }
  }
}
