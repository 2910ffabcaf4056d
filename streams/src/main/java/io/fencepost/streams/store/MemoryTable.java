package io.fencepost.streams.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Tables in memory, in byte order. */
public final class MemoryTable implements StoreTable {
  private final List<TreeMap<byte[], byte[]>> tables = new ArrayList<>();
  private final RestorePoint[] points;
  private final long[] bytes;

  public MemoryTable(int tableCount) {
    for (int i = 0; i < tableCount; i++) {
      tables.add(new TreeMap<>(Arrays::compareUnsigned));
    }
    points = new RestorePoint[tableCount];
    Arrays.fill(points, RestorePoint.EMPTY);
    bytes = new long[tableCount];
  }

  @Override
  public byte @Nullable [] get(int table, byte[] key) {
    return tables.get(table).get(key);
  }

  @Override
  public List<byte @Nullable []> getAll(int table, List<byte[]> keys) {
    List<byte @Nullable []> values = new ArrayList<>(keys.size());
    keys.forEach(key -> values.add(get(table, key)));
    return values;
  }

  @Override
  public void apply(ChangeBatch batch) {
    for (ChangeBatch.Change change : batch.changes()) {
      byte[] key = change.key();
      byte[] value = change.value();
      TreeMap<byte[], byte[]> table = tables.get(change.table());
      byte[] before = value == null ? table.remove(key) : table.put(key, value);
      bytes[change.table()] += sizeBytes(key, value) - sizeBytes(key, before);
    }
    batch.points().forEach((table, point) -> points[table] = point);
  }

  private static long sizeBytes(byte[] key, byte @Nullable [] value) {
    return value == null ? 0 : key.length + value.length;
  }

  @Override
  public void clear(int table, String why) {
    tables.get(table).clear();
    points[table] = RestorePoint.EMPTY;
    bytes[table] = 0;
  }

  @Override
  public TableSize size(int table) {
    return new TableSize(tables.get(table).size(), bytes[table]);
  }

  @Override
  public RestorePoint restorePoint(int table) {
    return points[table];
  }

  @Override
  public void scan(int table, byte @Nullable [] from, byte @Nullable [] to, EntryVisitor visitor) {
    NavigableMap<byte[], byte[]> range = tables.get(table);
    if (isEmpty(from, to)) {
      return;
    }
    range = from == null ? range : range.tailMap(from, true);
    range = to == null ? range : range.headMap(to, false);
    for (Map.Entry<byte[], byte[]> entry : range.entrySet()) {
      if (!visitor.entry(entry.getKey(), entry.getValue())) {
        return;
      }
    }
  }

  private static boolean isEmpty(byte @Nullable [] from, byte @Nullable [] to) {
    return from != null && to != null && Arrays.compareUnsigned(from, to) >= 0;
  }

  @Override
  public void close() {}
}
