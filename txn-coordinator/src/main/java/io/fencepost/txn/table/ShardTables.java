package io.fencepost.txn.table;

import io.fencepost.broker.port.Invariant;
import io.fencepost.broker.testing.BrokerSteps;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one internal partition: every key is prefixed by the partition, and reads see the
 * changes of the replay step that is going on. Changes are possible only between {@link #begin} and
 * {@link #commit}, which the shard runtime calls around the replay of one batch. Single-threaded.
 */
public final class ShardTables {
  /** The leader epoch of the last applied batch is not known. */
  public static final int NO_EPOCH = -1;

  private static final int OFFSET_AND_TOPIC = 3 * Long.BYTES;

  private final Tables tables;
  private final TopicPartition topicPartition;
  private final BrokerSteps steps;
  private final byte[] position;
  private final byte[] prefix;
  private final Uuid topicId;
  private @Nullable WriteSet pending;

  /**
   * @param topicId kept with the position, to notice that the topic was created anew
   */
  public ShardTables(Tables tables, TopicPartition topicPartition, Uuid topicId) {
    this(tables, topicPartition, topicId, BrokerSteps.NONE);
  }

  /**
   * The same.
   *
   * @param steps is asked before and after each replay step is written
   */
  public ShardTables(
      Tables tables, TopicPartition topicPartition, Uuid topicId, BrokerSteps steps) {
    this.tables = tables;
    this.topicPartition = topicPartition;
    this.steps = steps;
    this.position = Keys.of(topicPartition.toString());
    this.prefix = Keys.of(topicPartition.partition());
    this.topicId = topicId;
  }

  public byte @Nullable [] get(Table table, byte[] key) {
    byte[] full = Keys.join(prefix, key);
    WriteSet.Change change = pending == null ? null : pending.change(table, full);
    return change == null ? tables.get(table, full) : change.value();
  }

  /**
   * Visits rows by the beginning of the key, in key order; the visitor sees keys without prefix.
   */
  public void scan(Table table, byte[] keyPrefix, RowVisitor visitor) {
    byte[] full = Keys.join(prefix, keyPrefix);
    if (pending == null) {
      tables.scan(table, full, full, (key, value) -> visitor.row(bare(key), value));
      return;
    }
    TreeMap<byte[], byte[]> merged = new TreeMap<>(Arrays::compareUnsigned);
    tables.scan(table, full, full, (key, value) -> merged.put(key, value) == null);
    pending
        .under(table, full)
        .forEach(
            (key, change) -> {
              byte[] value = change.value();
              if (value == null) {
                merged.remove(key);
              } else {
                merged.put(key, value);
              }
            });
    for (Map.Entry<byte[], byte[]> row : merged.entrySet()) {
      if (!visitor.row(bare(row.getKey()), row.getValue())) {
        return;
      }
    }
  }

  /** Visits all rows from this key on, in key order. Not inside of a replay step. */
  public void scanFrom(Table table, byte[] firstKey, RowVisitor visitor) {
    Invariant.check(pending == null, "Scan of %s inside a replay step", Keys.text(position));
    tables.scan(
        table, prefix, Keys.join(prefix, firstKey), (key, value) -> visitor.row(bare(key), value));
  }

  public void put(Table table, byte[] key, byte[] value) {
    changes().put(table, Keys.join(prefix, key), value);
  }

  public void delete(Table table, byte[] key) {
    changes().delete(table, Keys.join(prefix, key));
  }

  /** The offset of the first record that is not in the tables yet, or 0. */
  public long appliedOffset() {
    byte[] value = tables.get(Table.APPLIED, position);
    return value == null ? 0 : ByteBuffer.wrap(value).getLong();
  }

  /**
   * The leader epoch of the batch that ends at the applied offset; {@link #NO_EPOCH} if there is
   * none, or the row is from a time when it was not kept.
   */
  public int appliedEpoch() {
    byte[] value = tables.get(Table.APPLIED, position);
    return value == null || value.length < OFFSET_AND_TOPIC + Integer.BYTES
        ? NO_EPOCH
        : ByteBuffer.wrap(value).getInt(OFFSET_AND_TOPIC);
  }

  /** Whether the rows come from a topic that had this name before. */
  public boolean isOfOtherTopic() {
    byte[] value = tables.get(Table.APPLIED, position);
    if (value == null) {
      return false;
    }
    ByteBuffer in = ByteBuffer.wrap(value);
    return value.length < OFFSET_AND_TOPIC
        || in.getLong(Long.BYTES) != topicId.high()
        || in.getLong(2 * Long.BYTES) != topicId.low();
  }

  /** Makes what was committed so far outlive any crash. */
  public void flush() {
    tables.flush();
  }

  /** Opens a replay step. */
  public void begin() {
    Invariant.check(pending == null, "Replay step of %s inside another", Keys.text(position));
    pending = new WriteSet();
  }

  /**
   * Applies the step together with the position after it.
   *
   * @param leaderEpoch of the batch that ends there
   */
  public void commit(long appliedOffset, int leaderEpoch) {
    WriteSet changes = changes();
    changes.put(Table.APPLIED, position, at(appliedOffset, leaderEpoch));
    pending = null;
    steps.pass(BrokerSteps.Step.BEFORE_TABLE_WRITE, topicPartition);
    tables.write(changes);
    steps.pass(BrokerSteps.Step.AFTER_TABLE_WRITE, topicPartition);
  }

  /** Forgets the step. */
  public void rollBack() {
    pending = null;
  }

  /** Drops all rows of this partition in these tables, and its position. */
  public void wipe(Iterable<Table> shardTables) {
    WriteSet changes = new WriteSet();
    for (Table table : shardTables) {
      List<byte[]> keys = new ArrayList<>();
      tables.scan(table, prefix, (key, value) -> keys.add(key));
      keys.forEach(key -> changes.delete(table, key));
    }
    changes.delete(Table.APPLIED, position);
    tables.write(changes);
  }

  private byte[] at(long offset, int leaderEpoch) {
    return ByteBuffer.allocate(OFFSET_AND_TOPIC + Integer.BYTES)
        .putLong(offset)
        .putLong(topicId.high())
        .putLong(topicId.low())
        .putInt(leaderEpoch)
        .array();
  }

  private WriteSet changes() {
    WriteSet changes = pending;
    if (changes == null) {
      throw new IllegalStateException(
          "State of " + Keys.text(position) + " changes only by replay of its log");
    }
    return changes;
  }

  private byte[] bare(byte[] key) {
    return Arrays.copyOfRange(key, prefix.length, key.length);
  }
}
