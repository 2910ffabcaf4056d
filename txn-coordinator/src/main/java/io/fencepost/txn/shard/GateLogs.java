package io.fencepost.txn.shard;

import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.replica.Replicas;
import io.fencepost.broker.wire.TopicPartition;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The internal partitions among this broker's replicas. Thread-safe. */
public final class GateLogs implements ShardLogs {
  private final ClusterView cluster;
  private final Replicas replicas;
  private final TreeMap<TopicPartition, GateLog> known = new TreeMap<>();

  public GateLogs(ClusterView cluster, Replicas replicas) {
    this.cluster = cluster;
    this.replicas = replicas;
  }

  /** One partition as a log, for runtimes without a cluster around them. */
  public static ShardLog over(PartitionGate gate) {
    return new GateLog(gate);
  }

  @Override
  public int partitionCount(String topic) {
    TopicState state = cluster.state().topic(topic);
    return state == null ? 0 : state.partitions().size();
  }

  @Override
  public @Nullable ShardLog find(TopicPartition topicPartition) {
    PartitionGate gate = replicas.find(topicPartition);
    synchronized (this) {
      GateLog log = known.get(topicPartition);
      if (gate == null) {
        known.remove(topicPartition);
        return null;
      }
      if (log == null || !log.isOver(gate)) {
        log = new GateLog(gate);
        known.put(topicPartition, log);
      }
      return log;
    }
  }
}
