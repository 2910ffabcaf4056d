package io.fencepost.txn.shard;

import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.table.ShardTables;
import io.fencepost.txn.table.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * This broker's shards of one internal topic: served where it leads the partition, kept ready where
 * it follows. Thread-safe.
 *
 * @param <S> the shard
 */
public final class Shards<S extends Shard> {
  private final String topic;
  private final ShardLogs logs;
  private final Supplier<Tables> tables;
  private final Function<ShardTables, S> shardOf;
  private final ShardRuntime.Environment environment;
  private final Consumer<ShardRuntime<S>> onServing;
  private final TreeMap<Integer, ShardSlot<S>> slots = new TreeMap<>();
  private boolean isRefreshDue;
  private boolean closed;

  /**
   * @param tables opened when the first shard needs them
   * @param onServing runs each time a shard has been loaded
   */
  public Shards(
      String topic,
      ShardLogs logs,
      Supplier<Tables> tables,
      Function<ShardTables, S> shardOf,
      ShardRuntime.Environment environment,
      Consumer<ShardRuntime<S>> onServing) {
    this.topic = topic;
    this.logs = logs;
    this.tables = tables;
    this.shardOf = shardOf;
    this.environment = environment;
    this.onServing = onServing;
  }

  public String topic() {
    return topic;
  }

  /** The internal partition of the key, or null while the topic does not exist. */
  public @Nullable TopicPartition partitionOf(String key) {
    int count = logs.partitionCount(topic);
    return count == 0 ? null : new TopicPartition(topic, ShardMap.partitionFor(key, count));
  }

  /** Runs the task in the shard of the key, or refuses it. */
  public void write(String key, ShardTask<S> task) {
    ShardRuntime<S> runtime = find(key);
    if (runtime == null) {
      task.refused(WireError.NOT_COORDINATOR);
    } else {
      runtime.write(key, task);
    }
  }

  /** The shard that is responsible for the key, or null if this broker does not lead it. */
  public @Nullable ShardRuntime<S> find(String key) {
    TopicPartition topicPartition = partitionOf(key);
    return topicPartition == null ? null : runtime(topicPartition.partition());
  }

  /** All shards that this broker leads. */
  public List<ShardRuntime<S>> all() {
    List<ShardRuntime<S>> found = new ArrayList<>();
    int count = logs.partitionCount(topic);
    for (int partition = 0; partition < count; partition++) {
      ShardRuntime<S> runtime = runtime(partition);
      if (runtime != null) {
        found.add(runtime);
      }
    }
    return found;
  }

  /** Those whose state is in place already; loads none, and changes no roles. */
  public List<ShardRuntime<S>> serving() {
    List<ShardSlot<S>> present;
    synchronized (this) {
      present = List.copyOf(slots.values());
    }
    List<ShardRuntime<S>> found = new ArrayList<>();
    for (ShardSlot<S> slot : present) {
      ShardRuntime<S> runtime = slot.present();
      if (runtime != null && runtime.isServing()) {
        found.add(runtime);
      }
    }
    return found;
  }

  /**
   * Takes the roles as they are now: loads what this broker has come to lead, so that prepared and
   * timed-out work goes on; refuses the requests of what it has lost; follows what others lead.
   */
  public void refresh() {
    int count = logs.partitionCount(topic);
    for (int partition = 0; partition < count; partition++) {
      ShardSlot<S> slot = slot(partition);
      List<Runnable> effects = new ArrayList<>();
      ShardRuntime<S> runtime = null;
      try {
        runtime = slot.leadOrFollow(effects);
      } catch (DiskException e) {
        environment.notices().accept("Cannot open the state of " + topic + ": " + e.getMessage());
        var unused = environment.scheduler().after(ShardReplica.RETRY_MS, this::refreshSoon);
        return;
      } finally {
        effects.forEach(Runnable::run);
      }
      if (runtime != null) {
        runtime.warmUp();
      }
    }
  }

  /** The same a moment later, once for all who ask meanwhile. May be called under any lock. */
  public synchronized void refreshSoon() {
    if (!isRefreshDue && !closed) {
      isRefreshDue = true;
      environment
          .scheduler()
          .run(
              () -> {
                synchronized (this) {
                  isRefreshDue = false;
                }
                refresh();
              });
    }
  }

  /** Refuses everything from now on. */
  public void close() {
    List<ShardSlot<S>> open;
    synchronized (this) {
      closed = true;
      open = List.copyOf(slots.values());
    }
    List<Runnable> effects = new ArrayList<>();
    open.forEach(slot -> slot.close(effects));
    effects.forEach(Runnable::run);
  }

  private @Nullable ShardRuntime<S> runtime(int partition) {
    List<Runnable> effects = new ArrayList<>();
    try {
      return slot(partition).lead(effects);
    } finally {
      effects.forEach(Runnable::run);
    }
  }

  private synchronized ShardSlot<S> slot(int partition) {
    ShardSlot<S> slot = slots.get(partition);
    if (slot == null) {
      slot = new ShardSlot<>(new TopicPartition(topic, partition), logs, new Holders());
      if (closed) {
        slot.close(new ArrayList<>());
      } else {
        slots.put(partition, slot);
      }
    }
    return slot;
  }

  private final class Holders implements ShardSlot.Maker<S> {
    @Override
    public ShardRuntime<S> runtime(
        TopicPartition topicPartition, ShardLog log, @Nullable ShardState<S> state) {
      return new ShardRuntime<>(
          topicPartition,
          log,
          state == null ? fresh(topicPartition, log.committed()) : state,
          environment,
          onServing);
    }

    @Override
    public ShardReplica<S> replica(TopicPartition topicPartition, CommittedLog log) {
      return new ShardReplica<>(topicPartition, log, fresh(topicPartition, log), environment);
    }

    private ShardState<S> fresh(TopicPartition topicPartition, CommittedLog log) {
      ShardTables rows =
          new ShardTables(tables.get(), topicPartition, log.topicId(), environment.steps());
      return new ShardState<>(rows, shardOf.apply(rows), false);
    }
  }
}
