package io.fencepost.streams.task;

import io.fencepost.streams.store.StoreTable;
import org.jspecify.annotations.Nullable;

/**
 * Deletes entries of a table of first sights that {@link DedupRule} no longer remembers: some per
 * transaction, so that no commit waits for a scan; one pass whenever event time has moved by a
 * quarter of the retention. Deletions are part of the transaction, so the changelog shrinks with
 * the table; how far the sweep is moves with {@link #commit} as they do.
 */
final class ExpirySweep {
  private final int table;
  private final long retentionMs;
  private Place committed = new Place(Long.MIN_VALUE, null, false);
  private Place place = committed;

  /**
   * How far it is.
   *
   * @param sweptAtMs event time as the pass began; {@code Long.MIN_VALUE} before the first look
   * @param cursor the key to go on with; null: the first
   */
  private record Place(long sweptAtMs, byte @Nullable [] cursor, boolean isSweeping) {}

  ExpirySweep(int table, long retentionMs) {
    this.table = table;
    this.retentionMs = retentionMs;
  }

  void sweep(StoreTable tables, StateBuffer state, int limit) {
    long newestMs = state.newestMs(table);
    if (!place.isSweeping()) {
      if (place.sweptAtMs() == Long.MIN_VALUE) {
        place = new Place(newestMs, null, false);
      }
      if (newestMs - place.sweptAtMs() <= retentionMs / 4) {
        return;
      }
      place = new Place(newestMs, null, true);
    }
    Place from = place;
    place = new Place(from.sweptAtMs(), null, false);
    int[] seen = {0};
    tables.scan(
        table,
        from.cursor(),
        null,
        (key, value) -> {
          if (seen[0] == limit) {
            place = new Place(from.sweptAtMs(), key, true);
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

  /** The transaction of the last {@link #sweep} was committed. */
  void commit() {
    committed = place;
  }

  /** It was not: what it deleted is there, and is looked at again. */
  void drop() {
    place = committed;
  }

  private boolean isUnchanged(StateBuffer state, byte[] key, byte[] stored) {
    byte[] current = state.get(table, key);
    return current != null && Longs.read(current) == Longs.read(stored);
  }
}
