package io.fencepost.broker.replica;

/**
 * Follows the high watermark of a partition; the coordinators apply their logs by it.
 *
 * <p>Runs outside of the partition's lock, before the replies to the appends that became committed
 * by the move. Calls may come from several threads and then in any order: the greatest value holds.
 */
@FunctionalInterface
public interface CommitListener {
  void onHighWatermark(long highWatermark);
}
