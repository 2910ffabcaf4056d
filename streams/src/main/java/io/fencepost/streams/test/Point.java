package io.fencepost.streams.test;

/** Where {@link JobTest#crashAt} lets a process die. */
public enum Point {
  /** The transaction is open; the record of output did not get out. */
  BEFORE_SEND(Interference.Call.SEND, false),
  /** The record of output is in its topic, uncommitted. */
  AFTER_SEND(Interference.Call.SEND, true),
  /** All output is sent; the change of a store did not get to its changelog. */
  BEFORE_CHANGE(Interference.Call.SEND_CHANGE, false),
  /** The change is in the changelog, uncommitted. */
  AFTER_CHANGE(Interference.Call.SEND_CHANGE, true),
  /** Output and changes are sent; the transaction does not know of the input offsets. */
  BEFORE_OFFSETS(Interference.Call.STAGE, false),
  /** Everything is in the transaction but its end. */
  BEFORE_COMMIT(Interference.Call.COMMIT, false),
  /** Committed, and nobody was told. */
  AFTER_COMMIT(Interference.Call.COMMIT, true),
  /** A store is about to take over what was committed, or what was restored. */
  BEFORE_APPLY(Interference.Call.APPLY, false),
  /** One store has taken it over; those of other partitions may not have. */
  AFTER_APPLY(Interference.Call.APPLY, true);

  final Interference.Call call;
  final boolean isAfter;

  Point(Interference.Call call, boolean isAfter) {
    this.call = call;
    this.isAfter = isAfter;
  }
}
