package io.fencepost.txn.shard;

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
 * This broker's shards of one internal topic, made when first asked for. Thread-safe.
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
  private final TreeMap<Integer, ShardRuntime<S>> runtimes = new TreeMap<>();
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

  /** The shard that is responsible for the key, or null if it is not here. */
  public @Nullable ShardRuntime<S> find(String key) {
    TopicPartition topicPartition = partitionOf(key);
    return topicPartition == null ? null : runtime(topicPartition.partition());
  }

  /** All shards that are here. */
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

  /** Those whose state is in place already; loads none. */
  public synchronized List<ShardRuntime<S>> serving() {
    return runtimes.values().stream().filter(ShardRuntime::isServing).toList();
  }

  /** Refuses everything from now on. */
  public void close() {
    List<ShardRuntime<S>> open;
    synchronized (this) {
      closed = true;
      open = List.copyOf(runtimes.values());
      runtimes.clear();
    }
    open.forEach(ShardRuntime::close);
  }

  private @Nullable ShardRuntime<S> runtime(int partition) {
    TopicPartition topicPartition = new TopicPartition(topic, partition);
    ShardLog log = logs.find(topicPartition);
    ShardRuntime<S> stale = null;
    ShardRuntime<S> runtime;
    synchronized (this) {
      runtime = runtimes.get(partition);
      if (runtime != null && runtime.log() != log) {
        stale = runtime;
        runtimes.remove(partition);
        runtime = null;
      }
      if (runtime == null && log != null && !closed) {
        ShardTables rows = new ShardTables(tables.get(), topicPartition, log.topicId());
        runtime =
            new ShardRuntime<>(
                topicPartition, log, rows, shardOf.apply(rows), environment, onServing);
        runtimes.put(partition, runtime);
      }
    }
    if (stale != null) {
      stale.close();
    }
    return runtime;
  }
}
