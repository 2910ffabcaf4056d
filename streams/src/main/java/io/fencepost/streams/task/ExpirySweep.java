package io.fencepost.streams.task;

import io.fencepost.streams.store.StoreTable;
import org.jspecify.annotations.Nullable;

/**
 * Deletes entries of a table of first sights that {@link DedupRule} no longer remembers: some per
 * transaction, so that no commit waits for a scan; one pass whenever event time has moved by a
 * quarter of the retention. Deletions are part of the transaction, so the changelog shrinks with
 * the table.
 */
final class ExpirySweep {
  private final int table;
  private final long retentionMs;
  private long sweptAtMs = Long.MIN_VALUE;
  private byte @Nullable [] cursor;
  private boolean isSweeping;

  ExpirySweep(int table, long retentionMs) {
    this.table = table;
    this.retentionMs = retentionMs;
  }

  void sweep(StoreTable tables, StateBuffer state, int limit) {
    long newestMs = state.newestMs(table);
    if (!isSweeping) {
      if (sweptAtMs == Long.MIN_VALUE) {
        sweptAtMs = newestMs;
      }
      if (newestMs - sweptAtMs <= retentionMs / 4) {
        return;
      }
      cursor = null;
      sweptAtMs = newestMs;
    }
    isSweeping = false;
    int[] seen = {0};
    tables.scan(
        table,
        cursor,
        null,
        (key, value) -> {
          if (seen[0] == limit) {
            cursor = key;
            isSweeping = true;
            return false;
          }
          seen[0]++;
          if (!DedupRule.isRemembered(Longs.read(value), newestMs, retentionMs)
              && isUnchanged(state, key, value)) {
            state.put(table, key, null);
          }
          return true;
        });
  }

  private boolean isUnchanged(StateBuffer state, byte[] key, byte[] stored) {
    byte[] current = state.get(table, key);
    return current != null && Longs.read(current) == Longs.read(stored);
  }
}
