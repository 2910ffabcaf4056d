package io.fencepost.txn.table;

import org.jspecify.annotations.Nullable;

/**
 * The rows of all coordinators of one broker. Keys are compared as unsigned bytes. A {@link
 * WriteSet} is applied as a whole or not at all; after a crash the tables hold exactly the state
 * after some prefix of the write sets, so a position written in the same set as the rows always
 * tells where to resume the log. Thread-safe; writers of different shards do not wait for each
 * other longer than one write.
 */
public interface Tables extends AutoCloseable {
  /** The value, or null if there is no such row. The arrays belong to the caller. */
  byte @Nullable [] get(Table table, byte[] key);

  /** Visits the rows whose keys begin with the prefix, in key order, until the visitor stops. */
  default void scan(Table table, byte[] prefix, RowVisitor visitor) {
    scan(table, prefix, prefix, visitor);
  }

  /** The same, beginning at the first of those rows whose key is not below another. */
  void scan(Table table, byte[] prefix, byte[] firstKey, RowVisitor visitor);

  /** Applies all changes at once. */
  void write(WriteSet changes);

  /** Makes everything applied so far survive a crash. */
  void flush();

  /** Flushes and closes. Repeated calls do nothing. */
  @Override
  void close();
}
