package io.fencepost.txn.shard;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.check.Finding;
import io.fencepost.broker.check.Findings;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.txn.table.Keys;
import io.fencepost.txn.table.MemoryTables;
import io.fencepost.txn.table.ShardTables;
import io.fencepost.txn.table.Table;
import io.fencepost.txn.table.Tables;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Replays an internal partition into memory and compares the state as of the applied position with
 * the rows on disk. After the last batch the shard is as the log says. Single-threaded.
 *
 * @param <S> the shard
 */
public final class ShardCheck<S extends Shard> {
  private static final int SHOWN = 3;

  private final TopicPartition topicPartition;
  private final String file;
  private final Tables stored;
  private final MemoryTables memory = new MemoryTables();
  private final S shard;
  private final Replay replay;
  private final Findings findings;
  private final BiFunction<Table, byte[], String> namer;
  private final long applied;
  private long position;
  private boolean isCompared;

  /** Where the rows are and how they are spoken of. */
  public record Rows(Tables stored, String file, BiFunction<Table, byte[], String> namer) {}

  /**
   * @param topicId of the topic as it is now; rows of an older one of that name are left out
   */
  public ShardCheck(
      TopicPartition topicPartition,
      Uuid topicId,
      Rows rows,
      Function<ShardTables, S> shardOf,
      Findings findings) {
    this.topicPartition = topicPartition;
    this.stored = rows.stored();
    this.file = rows.file();
    this.namer = rows.namer();
    this.findings = findings;
    ShardTables found = new ShardTables(stored, topicPartition, topicId);
    this.isCompared = found.isOfOtherTopic();
    this.applied = found.appliedOffset();
    ShardTables replayed = new ShardTables(memory, topicPartition, topicId);
    this.shard = shardOf.apply(replayed);
    this.replay = new Replay(shard, replayed);
  }

  /** The next batch of the log, with all its bytes. */
  public void onBatch(BatchView batch) {
    if (batch.baseOffset() >= applied) {
      compare();
    }
    ByteBuffer bytes = batch.buffer().duplicate();
    bytes.limit(batch.position() + batch.sizeBytes()).position(batch.position());
    position = replay.apply(bytes, position);
  }

  /** The log cannot be replayed: nothing is compared. */
  public void giveUp() {
    isCompared = true;
  }

  /** All batches were shown. */
  public S finish() {
    if (applied > position && !isCompared) {
      isCompared = true;
      findings.damage(
          file,
          Finding.WHOLE,
          "the rows of %s hold everything up to offset %d, its log ends at %d"
              .formatted(topicPartition, applied, position));
    }
    compare();
    return shard;
  }

  private void compare() {
    if (isCompared) {
      return;
    }
    isCompared = true;
    byte[] prefix = Keys.of(topicPartition.partition());
    for (Table table : shard.tables()) {
      TreeMap<byte[], String> differences = new TreeMap<>(Arrays::compareUnsigned);
      memory.scan(
          table,
          prefix,
          (key, value) -> {
            byte[] found = stored.get(table, key);
            if (found == null) {
              differences.put(key, "is missing");
            } else if (!Arrays.equals(found, value)) {
              differences.put(key, "says something else than the log");
            }
            return true;
          });
      stored.scan(
          table,
          prefix,
          (key, value) -> {
            if (memory.get(table, key) == null) {
              differences.put(key, "is not in the log");
            }
            return true;
          });
      report(table, differences);
    }
  }

  private void report(Table table, TreeMap<byte[], String> differences) {
    int shown = 0;
    for (byte[] key : differences.keySet()) {
      if (shown++ == SHOWN) {
        break;
      }
      byte[] bare = Arrays.copyOfRange(key, Integer.BYTES, key.length);
      findings.damage(
          file,
          Finding.WHOLE,
          "%s: the row of %s %s (%s up to offset %d)"
              .formatted(
                  table.label(),
                  namer.apply(table, bare),
                  differences.get(key),
                  topicPartition,
                  applied));
    }
    if (differences.size() > SHOWN) {
      findings.damage(
          file,
          Finding.WHOLE,
          "%s: %d more rows differ from %s"
              .formatted(table.label(), differences.size() - SHOWN, topicPartition));
    }
  }
}
