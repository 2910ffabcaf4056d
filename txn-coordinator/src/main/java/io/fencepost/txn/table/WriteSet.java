package io.fencepost.txn.table;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Changes that take effect together; a later change of a row replaces an earlier one. Not
 * thread-safe.
 */
public final class WriteSet {
  private final EnumMap<Table, TreeMap<byte[], Change>> changes = new EnumMap<>(Table.class);

  /** What becomes of one row. */
  public record Change(byte @Nullable [] value) {}

  /** Receives the changes in order of table and key. */
  @FunctionalInterface
  public interface ChangeVisitor {
    void change(Table table, byte[] key, byte @Nullable [] value);
  }

  public void put(Table table, byte[] key, byte[] value) {
    of(table).put(key, new Change(value));
  }

  public void delete(Table table, byte[] key) {
    of(table).put(key, new Change(null));
  }

  /** The change of this row in this set, or null if the set leaves the row alone. */
  public @Nullable Change change(Table table, byte[] key) {
    TreeMap<byte[], Change> rows = changes.get(table);
    return rows == null ? null : rows.get(key);
  }

  public boolean isEmpty() {
    return changes.isEmpty();
  }

  public void forEach(ChangeVisitor visitor) {
    changes.forEach(
        (table, rows) -> rows.forEach((key, change) -> visitor.change(table, key, change.value())));
  }

  /** The changes of rows whose keys begin with the prefix. */
  NavigableMap<byte[], Change> under(Table table, byte[] prefix) {
    TreeMap<byte[], Change> found = new TreeMap<>(Arrays::compareUnsigned);
    TreeMap<byte[], Change> rows = changes.get(table);
    if (rows != null) {
      for (Map.Entry<byte[], Change> row : rows.tailMap(prefix, true).entrySet()) {
        if (!Keys.beginsWith(row.getKey(), prefix)) {
          break;
        }
        found.put(row.getKey(), row.getValue());
      }
    }
    return found;
  }

  private TreeMap<byte[], Change> of(Table table) {
    return changes.computeIfAbsent(table, t -> new TreeMap<>(Arrays::compareUnsigned));
  }
}
