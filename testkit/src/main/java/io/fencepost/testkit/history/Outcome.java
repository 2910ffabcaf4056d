package io.fencepost.testkit.history;

/** How an operation ended, as its caller knows it. */
public enum Outcome {
  /** It was done. */
  OK,
  /** It was not done and never will be. */
  FAILED,
  /** No answer came: it may have been done, or be done later. It stays unknown for ever. */
  UNKNOWN
}
