package io.fencepost.streams.store;

/**
 * What a table stands for.
 *
 * @param position next changelog offset to apply; 0 for an empty table. One after the end while the
 *     marker of the transaction that wrote last is still to come
 * @param newestMs highest event time that the table has accepted; {@link #NO_TIME} if it keeps none
 */
public record RestorePoint(long position, long newestMs) {
  public static final long NO_TIME = Long.MIN_VALUE;
  public static final RestorePoint EMPTY = new RestorePoint(0, NO_TIME);
}
