package io.fencepost.txn.coordinator;

import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.replica.MarkerRequest;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.replica.Replicas;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import java.util.function.Consumer;

/** Markers for partitions that this broker leads. Thread-safe. */
public final class LocalMarkers implements MarkerTarget {
  private final ClusterView cluster;
  private final Replicas replicas;

  public LocalMarkers(ClusterView cluster, Replicas replicas) {
    this.cluster = cluster;
    this.replicas = replicas;
  }

  @Override
  public void write(TopicPartition partition, MarkerRequest marker, Consumer<WireError> answer) {
    PartitionGate gate = replicas.find(partition);
    if (gate == null) {
      boolean isGone = cluster.state().partition(partition) == null;
      answer.accept(
          isGone ? WireError.UNKNOWN_TOPIC_OR_PARTITION : WireError.NOT_LEADER_OR_FOLLOWER);
      return;
    }
    gate.appendMarker(marker, result -> answer.accept(result.error())).run();
  }
}
