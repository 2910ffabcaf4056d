package io.fencepost.streams.task;

import io.fencepost.streams.store.ChangeBatch;
import io.fencepost.streams.store.RestorePoint;
import io.fencepost.streams.store.StoreTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A task's state writes of the open transaction, above its tables. Reads see them. They reach the
 * tables only by {@link #apply}, after the commit; {@link #drop} forgets them. Within a cycle
 * {@link #mark} and {@link #undo} take back the writes of one input record. Keeps the last write
 * per key, so the changelog gets one record per key and transaction.
 */
public final class StateBuffer {
  /** Stands for "no value" in maps; compared by identity. */
  private static final byte[] NONE = new byte[0];

  private record Undo(int table, ByteKey key, byte @Nullable [] before) {}

  private final StoreTable tables;
  private final List<Map<ByteKey, byte[]>> writes = new ArrayList<>();
  private final List<Map<ByteKey, byte[]>> reads = new ArrayList<>();
  private final List<Undo> undos = new ArrayList<>();
  private final long[] newestMs;
  private final long[] newestAtMark;

  /**
   * Nothing written yet.
   *
   * @param ordered per table, whether {@link #scan} may be asked
   */
  public StateBuffer(StoreTable tables, List<Boolean> ordered) {
    this.tables = tables;
    newestMs = new long[ordered.size()];
    newestAtMark = new long[ordered.size()];
    for (boolean isOrdered : ordered) {
      writes.add(isOrdered ? new TreeMap<>() : new LinkedHashMap<>());
      reads.add(new LinkedHashMap<>());
    }
    drop();
  }

  public byte @Nullable [] get(int table, byte[] key) {
    ByteKey byteKey = new ByteKey(key);
    byte[] value = writes.get(table).get(byteKey);
    if (value == null) {
      value = reads.get(table).get(byteKey);
    }
    if (value == null) {
      return tables.get(table, key);
    }
    return value == NONE ? null : value;
  }

  public void put(int table, byte[] key, byte @Nullable [] value) {
    ByteKey byteKey = new ByteKey(key);
    byte[] before = writes.get(table).put(byteKey, value == null ? NONE : value);
    undos.add(new Undo(table, byteKey, before));
  }

  /** One entry as {@link #scan} found it. */
  public record Entry(byte[] key, byte[] value) {}

  /**
   * The first entries with {@code from <= key < to} (null: no bound) in unsigned byte order, writes
   * of the open transaction included.
   */
  public List<Entry> scan(int table, byte @Nullable [] from, byte @Nullable [] to, int limit) {
    Iterator<Map.Entry<ByteKey, byte[]>> written = written(table, from, to).iterator();
    Scan scan = new Scan(written, limit);
    tables.scan(table, from, to, scan::stored);
    scan.finish();
    return scan.found;
  }

  private Set<Map.Entry<ByteKey, byte[]>> written(
      int table, byte @Nullable [] from, byte @Nullable [] to) {
    if (!(writes.get(table) instanceof TreeMap<ByteKey, byte[]> sorted)) {
      throw new IllegalStateException("table " + table + " is not kept in order");
    }
    if (from != null && to != null && Arrays.compareUnsigned(from, to) >= 0) {
      return Collections.emptySet();
    }
    NavigableMap<ByteKey, byte[]> range = sorted;
    range = from == null ? range : range.tailMap(new ByteKey(from), true);
    range = to == null ? range : range.headMap(new ByteKey(to), false);
    return range.entrySet();
  }

  /** Merges what is stored with what is written above it. */
  private static final class Scan {
    final List<Entry> found = new ArrayList<>();
    private final Iterator<Map.Entry<ByteKey, byte[]>> written;
    private final int limit;
    private Map.@Nullable Entry<ByteKey, byte[]> next;

    Scan(Iterator<Map.Entry<ByteKey, byte[]>> written, int limit) {
      this.written = written;
      this.limit = limit;
      advance();
    }

    private void advance() {
      next = written.hasNext() ? written.next() : null;
    }

    /** Takes one stored entry, and all written ones before it; false if that was enough. */
    boolean stored(byte[] key, byte[] value) {
      while (next != null && found.size() < limit) {
        int order = Arrays.compareUnsigned(next.getKey().bytes, key);
        if (order > 0) {
          break;
        }
        takeWritten();
        if (order == 0) {
          return found.size() < limit;
        }
      }
      if (found.size() < limit) {
        found.add(new Entry(key, value));
      }
      return found.size() < limit;
    }

    void finish() {
      while (next != null && found.size() < limit) {
        takeWritten();
      }
    }

    private void takeWritten() {
      Map.Entry<ByteKey, byte[]> entry = next;
      if (entry != null && entry.getValue() != NONE) {
        found.add(new Entry(entry.getKey().bytes, entry.getValue()));
      }
      advance();
    }
  }

  /**
   * Reads many keys at once, for the {@link #get} calls to come. Replaces what was read ahead
   * before.
   */
  public void prefetch(int table, List<byte[]> keys) {
    Map<ByteKey, byte[]> ahead = reads.get(table);
    ahead.clear();
    List<byte @Nullable []> values = tables.getAll(table, keys);
    for (int i = 0; i < keys.size(); i++) {
      byte[] value = values.get(i);
      ahead.put(new ByteKey(keys.get(i)), value == null ? NONE : value);
    }
  }

  /** Highest event time that the table has accepted, this transaction included. */
  public long newestMs(int table) {
    return newestMs[table];
  }

  public void raiseNewest(int table, long timeMs) {
    newestMs[table] = Math.max(newestMs[table], timeMs);
  }

  public void mark() {
    undos.clear();
    System.arraycopy(newestMs, 0, newestAtMark, 0, newestMs.length);
  }

  /** Takes back everything since the last {@link #mark}. */
  public void undo() {
    for (int i = undos.size() - 1; i >= 0; i--) {
      Undo undo = undos.get(i);
      if (undo.before() == null) {
        writes.get(undo.table()).remove(undo.key());
      } else {
        writes.get(undo.table()).put(undo.key(), undo.before());
      }
    }
    undos.clear();
    System.arraycopy(newestAtMark, 0, newestMs, 0, newestMs.length);
  }

  /** Whether event time has moved in this transaction. */
  boolean isNewestRaised(int table) {
    return newestMs[table] > tables.restorePoint(table).newestMs();
  }

  /** Shows each change once; a null value deletes. */
  public void forEachChange(int table, Changes visitor) {
    writes
        .get(table)
        .forEach((key, value) -> visitor.change(key.bytes, value == NONE ? null : value));
  }

  /**
   * Writes everything to the tables, with the changelog position after it ({@code -1}: unknown).
   *
   * @param batch what is to be written before
   */
  public void apply(long[] positions, ChangeBatch batch) {
    for (int i = 0; i < newestMs.length; i++) {
      int table = i;
      forEachChange(table, (key, value) -> batch.add(table, key, value));
      RestorePoint before = tables.restorePoint(table);
      batch.moveTo(
          table, new RestorePoint(Math.max(before.position(), positions[table]), newestMs[table]));
    }
    if (!batch.changes().isEmpty()) {
      tables.apply(batch);
    }
    drop();
  }

  /** Forgets everything that is not in the tables. */
  public void drop() {
    writes.forEach(Map::clear);
    reads.forEach(Map::clear);
    undos.clear();
    for (int i = 0; i < newestMs.length; i++) {
      newestMs[i] = tables.restorePoint(i).newestMs();
    }
  }

  /** Sees one change. */
  @FunctionalInterface
  public interface Changes {
    void change(byte[] key, byte @Nullable [] value);
  }
}
