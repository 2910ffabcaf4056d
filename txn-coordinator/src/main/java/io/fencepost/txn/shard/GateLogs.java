package io.fencepost.txn.shard;

import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.replica.LeaderTerm;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.replica.Replicas;
import io.fencepost.broker.wire.TopicPartition;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The internal partitions among this broker's replicas. Thread-safe. */
public final class GateLogs implements ShardLogs {
  private final ClusterView cluster;
  private final Replicas replicas;
  private final TreeMap<TopicPartition, GateCopy> copies = new TreeMap<>();
  private final TreeMap<TopicPartition, GateLog> terms = new TreeMap<>();

  public GateLogs(ClusterView cluster, Replicas replicas) {
    this.cluster = cluster;
    this.replicas = replicas;
  }

  /** One partition as a log in its present term, for runtimes without a cluster around them. */
  public static ShardLog over(PartitionGate gate) {
    return new GateLog(new GateCopy(gate), gate.term());
  }

  @Override
  public int partitionCount(String topic) {
    TopicState state = cluster.state().topic(topic);
    return state == null ? 0 : state.partitions().size();
  }

  @Override
  public synchronized @Nullable ShardLog find(TopicPartition topicPartition) {
    GateCopy copy = copyOf(topicPartition);
    LeaderTerm term = copy == null ? null : copy.gate().term();
    if (copy == null || term == null || !term.isLeader()) {
      terms.remove(topicPartition);
      return null;
    }
    GateLog log = terms.get(topicPartition);
    if (log == null || log.committed() != copy || log.leaderEpoch() != term.leaderEpoch()) {
      log = new GateLog(copy, term);
      terms.put(topicPartition, log);
    }
    return log;
  }

  @Override
  public synchronized @Nullable CommittedLog copy(TopicPartition topicPartition) {
    return copyOf(topicPartition);
  }

  private @Nullable GateCopy copyOf(TopicPartition topicPartition) {
    PartitionGate gate = replicas.find(topicPartition);
    GateCopy copy = copies.get(topicPartition);
    if (gate == null) {
      copies.remove(topicPartition);
      return null;
    }
    if (copy == null || copy.gate() != gate) {
      copy = new GateCopy(gate);
      copies.put(topicPartition, copy);
    }
    return copy;
  }
}
