package io.fencepost.txn.group;

import io.fencepost.txn.table.ShardTables;
import io.fencepost.txn.table.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Committed and staged offsets of one internal partition, as rows. The {@code replay…} methods are
 * the only mutation; they are called in log order with the position of each record, live and after
 * a restart alike.
 *
 * <p>The log's order decides: a staged offset that becomes committed loses to a plain commit or a
 * deletion that stands after it in the log. So a deletion drops what is staged at that moment, and
 * a plain commit needs only to be compared by position when the marker comes.
 */
public final class Offsets {
  private static final byte[] NOTHING = {};

  private final ShardTables tables;

  public Offsets(ShardTables tables) {
    this.tables = tables;
  }

  /** Sees one committed offset after the other; stops when it answers false. */
  @FunctionalInterface
  public interface Visitor {
    boolean offset(OffsetKey key, StoredOffset stored);
  }

  /** A plain commit. */
  public void replayCommit(OffsetKey key, StoredOffset stored) {
    tables.put(Table.COMMITTED_OFFSETS, OffsetRows.committed(key), OffsetRows.value(stored));
  }

  /** A commit in a transaction that is still open. A later one of the same producer replaces it. */
  public void replayStaged(
      long producerId, short producerEpoch, OffsetKey key, StoredOffset stored) {
    tables.put(
        Table.STAGED_OFFSETS,
        OffsetRows.staged(producerId, key),
        OffsetRows.stagedValue(producerEpoch, stored));
    tables.put(Table.STAGED_OFFSETS, OffsetRows.stagedFor(key, producerId), NOTHING);
  }

  /** A deletion. */
  public void replayDelete(OffsetKey key) {
    tables.delete(Table.COMMITTED_OFFSETS, OffsetRows.committed(key));
    for (long producerId : stagingProducers(key)) {
      unstage(producerId, key);
    }
  }

  /**
   * The end of a transaction: what the producer staged counts from now on, or never did. An offset
   * staged under a later epoch than the marker's belongs to a later transaction and stays.
   */
  public void replayMarker(long producerId, short producerEpoch, boolean commit) {
    SortedMap<OffsetKey, StoredOffset> ended = new TreeMap<>();
    tables.scan(
        Table.STAGED_OFFSETS,
        OffsetRows.stagedBy(producerId),
        (row, value) -> {
          if (OffsetRows.epochOfStaged(value) <= producerEpoch) {
            ended.put(OffsetRows.keyOfStaged(row), OffsetRows.storedOfStaged(value));
          }
          return true;
        });
    ended.forEach(
        (key, staged) -> {
          unstage(producerId, key);
          if (commit) {
            StoredOffset current = committed(key);
            if (current == null || current.logOffset() < staged.logOffset()) {
              replayCommit(key, staged);
            }
          }
        });
  }

  private void unstage(long producerId, OffsetKey key) {
    tables.delete(Table.STAGED_OFFSETS, OffsetRows.staged(producerId, key));
    tables.delete(Table.STAGED_OFFSETS, OffsetRows.stagedFor(key, producerId));
  }

  private List<Long> stagingProducers(OffsetKey key) {
    List<Long> producerIds = new ArrayList<>();
    tables.scan(
        Table.STAGED_OFFSETS,
        OffsetRows.stagedFor(key),
        (row, value) -> producerIds.add(OffsetRows.producerOfStagedFor(row)));
    return producerIds;
  }

  /** The offset that counts now, or null. */
  public @Nullable StoredOffset committed(OffsetKey key) {
    byte[] value = tables.get(Table.COMMITTED_OFFSETS, OffsetRows.committed(key));
    return value == null ? null : OffsetRows.stored(value);
  }

  /** Whether some open transaction may still change the offset. */
  public boolean isStaged(OffsetKey key) {
    return any(OffsetRows.stagedFor(key));
  }

  /** Whether the group has an offset of either kind. */
  public boolean knowsGroup(String group) {
    boolean[] found = {any(OffsetRows.stagedForGroup(group))};
    if (!found[0]) {
      tables.scan(
          Table.COMMITTED_OFFSETS,
          OffsetRows.ofGroup(group),
          (row, value) -> {
            found[0] = true;
            return false;
          });
    }
    return found[0];
  }

  private boolean any(byte[] stagedPrefix) {
    boolean[] found = {false};
    tables.scan(
        Table.STAGED_OFFSETS,
        stagedPrefix,
        (row, value) -> {
          found[0] = true;
          return false;
        });
    return found[0];
  }

  /** The committed offsets of a group, by topic and partition of equal name length. */
  public void forEachOf(String group, Visitor visitor) {
    tables.scan(
        Table.COMMITTED_OFFSETS,
        OffsetRows.ofGroup(group),
        (row, value) -> visitor.offset(OffsetRows.keyOf(row), OffsetRows.stored(value)));
  }

  /** All committed offsets, the ones of a group together. */
  public void forEach(Visitor visitor) {
    tables.scan(
        Table.COMMITTED_OFFSETS,
        NOTHING,
        (row, value) -> visitor.offset(OffsetRows.keyOf(row), OffsetRows.stored(value)));
  }

  /** What open transactions staged for a group. */
  public List<OffsetKey> stagedOf(String group) {
    return staged(OffsetRows.stagedForGroup(group));
  }

  /** What all open transactions staged. */
  public List<OffsetKey> staged() {
    return staged(OffsetRows.stagedForAll());
  }

  private List<OffsetKey> staged(byte[] prefix) {
    List<OffsetKey> keys = new ArrayList<>();
    tables.scan(
        Table.STAGED_OFFSETS, prefix, (row, value) -> keys.add(OffsetRows.keyOfStagedFor(row)));
    return keys;
  }
}
