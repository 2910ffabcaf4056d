package io.fencepost.txn.table;

/** Sees rows in key order. */
@FunctionalInterface
public interface RowVisitor {
  /**
   * One row.
   *
   * @return whether to go on
   */
  boolean row(byte[] key, byte[] value);
}
