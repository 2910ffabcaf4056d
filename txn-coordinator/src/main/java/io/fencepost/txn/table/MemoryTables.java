package io.fencepost.txn.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Tables in memory, for tests and the simulator. Like their sibling on disk they lose, in a crash,
 * what was written after the last flush; closing flushes.
 */
public final class MemoryTables implements Tables {
  private EnumMap<Table, TreeMap<byte[], byte[]>> rows = empty();
  private EnumMap<Table, TreeMap<byte[], byte[]>> flushed = empty();

  @Override
  public synchronized byte @Nullable [] get(Table table, byte[] key) {
    byte[] value = of(table).get(key);
    return value == null ? null : value.clone();
  }

  @Override
  public void scan(Table table, byte[] prefix, byte[] firstKey, RowVisitor visitor) {
    for (Map.Entry<byte[], byte[]> row : under(table, prefix, firstKey)) {
      if (!visitor.row(row.getKey().clone(), row.getValue().clone())) {
        return;
      }
    }
  }

  @Override
  public synchronized void write(WriteSet changes) {
    changes.forEach(
        (table, key, value) -> {
          if (value == null) {
            of(table).remove(key);
          } else {
            of(table).put(key.clone(), value.clone());
          }
        });
  }

  @Override
  public synchronized void flush() {
    flushed = copy(rows);
  }

  /** The process dies: back to the last flush. */
  public synchronized void crash() {
    rows = copy(flushed);
  }

  /** The disk forgets everything. */
  public synchronized void clear() {
    rows = empty();
    flushed = empty();
  }

  @Override
  public void close() {
    flush();
  }

  private synchronized List<Map.Entry<byte[], byte[]>> under(
      Table table, byte[] prefix, byte[] firstKey) {
    List<Map.Entry<byte[], byte[]>> found = new ArrayList<>();
    for (Map.Entry<byte[], byte[]> row : of(table).tailMap(firstKey, true).entrySet()) {
      if (!Keys.beginsWith(row.getKey(), prefix)) {
        break;
      }
      found.add(Map.entry(row.getKey(), row.getValue()));
    }
    return found;
  }

  private TreeMap<byte[], byte[]> of(Table table) {
    return rows.computeIfAbsent(table, t -> new TreeMap<>(Arrays::compareUnsigned));
  }

  private static EnumMap<Table, TreeMap<byte[], byte[]>> empty() {
    return new EnumMap<>(Table.class);
  }

  private static EnumMap<Table, TreeMap<byte[], byte[]>> copy(
      EnumMap<Table, TreeMap<byte[], byte[]>> from) {
    EnumMap<Table, TreeMap<byte[], byte[]>> to = empty();
    from.forEach(
        (table, content) -> {
          TreeMap<byte[], byte[]> fresh = new TreeMap<>(Arrays::compareUnsigned);
          fresh.putAll(content);
          to.put(table, fresh);
        });
    return to;
  }
}
