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

  /** Shows up to {@code limit} entries after that key (from the first if null), in byte order. */
  int scan(int table, byte @Nullable [] afterKey, int limit, EntryVisitor visitor);

  @Override
  void close();

  /** Sees one entry. */
  @FunctionalInterface
  interface EntryVisitor {
    void entry(byte[] key, byte[] value);
  }
}
