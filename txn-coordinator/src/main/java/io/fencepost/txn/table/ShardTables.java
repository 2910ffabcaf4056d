package io.fencepost.txn.table;

import io.fencepost.broker.port.Invariant;
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
  private final Tables tables;
  private final byte[] position;
  private final byte[] prefix;
  private final Uuid topicId;
  private @Nullable WriteSet pending;

  /**
   * @param topicId kept with the position, to notice that the topic was created anew
   */
  public ShardTables(Tables tables, TopicPartition topicPartition, Uuid topicId) {
    this.tables = tables;
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
      tables.scan(table, full, (key, value) -> visitor.row(bare(key), value));
      return;
    }
    TreeMap<byte[], byte[]> merged = new TreeMap<>(Arrays::compareUnsigned);
    tables.scan(table, full, (key, value) -> merged.put(key, value) == null);
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

  /** Whether the rows come from a topic that had this name before. */
  public boolean isOfOtherTopic() {
    byte[] value = tables.get(Table.APPLIED, position);
    return value != null && !Arrays.equals(value, at(ByteBuffer.wrap(value).getLong()));
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

  /** Applies the step together with the position after it. */
  public void commit(long appliedOffset) {
    WriteSet changes = changes();
    changes.put(Table.APPLIED, position, at(appliedOffset));
    pending = null;
    tables.write(changes);
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

  private byte[] at(long offset) {
    return ByteBuffer.allocate(3 * Long.BYTES)
        .putLong(offset)
        .putLong(topicId.high())
        .putLong(topicId.low())
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
