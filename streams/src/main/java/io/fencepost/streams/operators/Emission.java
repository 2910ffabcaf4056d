package io.fencepost.streams.operators;

/** When a window's aggregate is passed on. */
public enum Emission {
  /** Once, when nothing can change it any more. */
  WHEN_CLOSED,
  /** At each change. */
  ON_EACH_UPDATE
}
