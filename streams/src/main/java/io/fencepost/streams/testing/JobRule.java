package io.fencepost.streams.testing;

import org.jspecify.annotations.Nullable;

/**
 * A rule of a job that a test can switch off, to see that somebody notices. Both hold unless a test
 * says otherwise; nothing else may: there is no setting for it. One at a time, in the whole
 * process, so that a test that does this must be alone.
 */
public enum JobRule {
  /** Input offsets are committed by the transaction of their output. */
  OFFSETS_IN_TRANSACTION,
  /** An abort takes back what was written to state. */
  ABORT_DROPS_STATE;

  private static volatile @Nullable JobRule broken;

  /** Whether it holds, as it does outside of tests. */
  public boolean holds() {
    return broken != this;
  }

  /** Runs this without the rule. */
  public void without(Runnable work) {
    broken = this;
    try {
      work.run();
    } finally {
      broken = null;
    }
  }
}
