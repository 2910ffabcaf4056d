package io.fencepost.txn.table;

import org.jspecify.annotations.Nullable;

/** Counts the rows that are read. */
public final class CountingTables implements Tables {
  private final Tables tables;

  /** Rows that were looked up or visited. */
  public int rowsRead;

  public CountingTables(Tables tables) {
    this.tables = tables;
  }

  @Override
  public byte @Nullable [] get(Table table, byte[] key) {
    rowsRead++;
    return tables.get(table, key);
  }

  @Override
  public void scan(Table table, byte[] prefix, byte[] firstKey, RowVisitor visitor) {
    tables.scan(
        table,
        prefix,
        firstKey,
        (key, value) -> {
          rowsRead++;
          return visitor.row(key, value);
        });
  }

  @Override
  public void write(WriteSet changes) {
    tables.write(changes);
  }

  @Override
  public void flush() {
    tables.flush();
  }

  @Override
  public void close() {
    tables.close();
  }
}
