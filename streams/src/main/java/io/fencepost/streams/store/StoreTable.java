package io.fencepost.streams.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keyed tables of one task, numbered in the order of the job's stores, and for each table the
 * changelog position that it stands for. Invariant: table content = replay of its changelog up to
 * that position, after any crash. One thread; freed by {@link #close} on every path.
 */
public interface StoreTable extends AutoCloseable {
  byte @Nullable [] get(int table, byte[] key);

  /** Many reads at once: for each key its value or null, in the same order. */
  List<byte @Nullable []> getAll(int table, List<byte[]> keys);

  /** Everything or nothing, positions included. */
  void apply(ChangeBatch batch);

  RestorePoint restorePoint(int table);

  /**
   * Shows the entries with {@code from <= key < to} (null: no bound) in unsigned byte order, until
   * the visitor has enough. It must not write meanwhile.
   */
  void scan(int table, byte @Nullable [] from, byte @Nullable [] to, EntryVisitor visitor);

  /**
   * Empties a table that contradicts its changelog: afterwards it stands for offset 0 and is
   * rebuilt. What it held is kept aside where that is possible. The others stay as they are.
   *
   * @param why what contradicts, for the log
   */
  void clear(int table, String why);

  /**
   * Empties a table that was complete so long ago that deletions made since may be gone from its
   * changelog, if that is so: read on from where it stands, it would keep what they deleted.
   *
   * @return whether it did
   */
  default boolean clearIfStale(int table) {
    return false;
  }

  /**
   * The table holds all that its changelog does, as of now. So do all tables when they are shown,
   * and with each change while they are.
   */
  default void noteComplete(int table) {}

  TableSize size(int table);

  /** From now on others may read them, as they hold all that is committed. */
  default void show() {}

  /** Nobody else may read them from now on; so it is when they are opened. */
  default void hide() {}

  @Override
  void close();

  /** Sees one entry; false if that was enough. */
  @FunctionalInterface
  interface EntryVisitor {
    boolean entry(byte[] key, byte[] value);
  }
}
