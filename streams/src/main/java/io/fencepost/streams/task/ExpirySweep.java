package io.fencepost.streams.task;

import io.fencepost.streams.store.ChangeBatch;
import io.fencepost.streams.store.StoreTable;
import org.jspecify.annotations.Nullable;

/**
 * Deletes entries of a table of first sights that {@link DedupRule} no longer remembers: some per
 * transaction, so that no commit waits for a scan; one pass whenever event time has moved by a
 * quarter of the retention. The rule does without what is deleted, so that no changelog has to tell
 * of it: each copy of the table sweeps itself.
 */
public final class ExpirySweep {
  private static final int LIMIT = 1_000;

  private final int table;
  private final long retentionMs;
  private long sweptAtMs = Long.MIN_VALUE;
  private byte @Nullable [] cursor;
  private boolean isSweeping;

  ExpirySweep(int table, long retentionMs) {
    this.table = table;
    this.retentionMs = retentionMs;
  }

  /** The sweep of one table; null if its entries are not forgotten with time. */
  public static @Nullable ExpirySweep of(TaskPlan plan, int table) {
    return plan.dedupTables().contains(table)
        ? new ExpirySweep(table, plan.retentionMs(table))
        : null;
  }

  /** Looks at some entries, and adds what is to be deleted. */
  public void sweep(StoreTable tables, long newestMs, ChangeBatch deletions) {
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
          if (seen[0] == LIMIT) {
            cursor = key;
            isSweeping = true;
            return false;
          }
          seen[0]++;
          if (!DedupRule.isRemembered(Longs.read(value), newestMs, retentionMs)) {
            deletions.add(table, key, null);
          }
          return true;
        });
  }
}
