package io.fencepost.streams.task;

/**
 * The highest timestamp that an operator has seen, kept in no table: lost with its task, but taken
 * back with inputs and transactions as state is.
 */
final class EventTime {
  private long nowMs = Long.MIN_VALUE;
  private long atMarkMs = Long.MIN_VALUE;
  private long committedMs = Long.MIN_VALUE;

  long nowMs() {
    return nowMs;
  }

  void raise(long timeMs) {
    nowMs = Math.max(nowMs, timeMs);
  }

  void mark() {
    atMarkMs = nowMs;
  }

  void undo() {
    nowMs = atMarkMs;
  }

  void drop() {
    nowMs = committedMs;
  }

  void commit() {
    committedMs = nowMs;
  }
}
