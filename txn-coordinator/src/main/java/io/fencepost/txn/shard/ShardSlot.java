package io.fencepost.txn.shard;

import io.fencepost.broker.wire.TopicPartition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The place of one internal partition on this broker. It is held by a runtime while the broker
 * leads the partition, one for each term; by a replica while it follows; or by nobody. One gives
 * way before the next takes over, so that never two change the partition's rows.
 *
 * <p>Thread-safe: one lock around the look at the role and the change of hands. It is taken before
 * the locks of runtimes, replicas and partitions.
 *
 * @param <S> the shard
 */
final class ShardSlot<S extends Shard> {
  private final TopicPartition topicPartition;
  private final ShardLogs logs;
  private final Maker<S> maker;
  private @Nullable ShardRuntime<S> runtime;
  private @Nullable ShardReplica<S> replica;
  private boolean closed;

  /** Makes the holders. Both may throw {@link io.fencepost.broker.port.DiskException}. */
  interface Maker<S extends Shard> {
    /**
     * For a new term.
     *
     * @param state what the replica leaves; null if there was none
     */
    ShardRuntime<S> runtime(
        TopicPartition topicPartition, ShardLog log, @Nullable ShardState<S> state);

    ShardReplica<S> replica(TopicPartition topicPartition, CommittedLog log);
  }

  ShardSlot(TopicPartition topicPartition, ShardLogs logs, Maker<S> maker) {
    this.topicPartition = topicPartition;
    this.logs = logs;
    this.maker = maker;
  }

  /**
   * The runtime of the present term, or null if this broker does not lead.
   *
   * @param effects to run under no lock, also if this throws
   */
  synchronized @Nullable ShardRuntime<S> lead(List<Runnable> effects) {
    ShardLog log = closed ? null : logs.find(topicPartition);
    ShardRuntime<S> present = runtime;
    if (present != null && present.log() != log) {
      runtime = null;
      effects.add(present.end());
    }
    if (log != null && runtime == null) {
      runtime = maker.runtime(topicPartition, log, takeFromReplica(log.committed()));
    }
    return runtime;
  }

  /** The same, and follows the leader if there is something to follow. */
  synchronized @Nullable ShardRuntime<S> leadOrFollow(List<Runnable> effects) {
    if (lead(effects) == null) {
      CommittedLog copy = closed ? null : logs.copy(topicPartition);
      if (replica != null && replica.log() != copy) {
        endReplica();
      }
      if (copy != null && replica == null) {
        ShardReplica<S> made = maker.replica(topicPartition, copy);
        made.start();
        replica = made;
      }
    }
    return runtime;
  }

  /** The runtime that holds the place, without a look at the role. */
  synchronized @Nullable ShardRuntime<S> present() {
    return runtime;
  }

  /** Nobody takes the place any more. */
  void close(List<Runnable> effects) {
    synchronized (this) {
      closed = true;
      endReplica();
    }
    lead(effects);
  }

  private @Nullable ShardState<S> takeFromReplica(CommittedLog log) {
    ShardReplica<S> present = replica;
    if (present == null) {
      return null;
    }
    replica = null;
    ShardState<S> left = present.close();
    return present.log() == log ? left : null;
  }

  private void endReplica() {
    if (replica != null) {
      replica.close();
      replica = null;
    }
  }
}
