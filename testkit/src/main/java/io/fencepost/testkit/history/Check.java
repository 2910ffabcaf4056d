package io.fencepost.testkit.history;

import java.util.List;

/** One invariant, checked over a whole history. Each implementation has no state between calls. */
public interface Check {
  /** The invariant's id in the documentation, such as V1. */
  String id();

  Verdict check(History history);

  /** All checks, in the order of their ids. */
  static List<Check> all() {
    return List.of(
        new OffsetAgreement(),
        new SequenceContinuity(),
        new WatermarkOrder(),
        new AcknowledgedWrite(),
        new AbortedRead(),
        new LostWrite(),
        new AllOrNothing(),
        new DuplicateOutput(),
        new InnerOrder(),
        new EarlyRead(),
        new StagedOffsets());
  }
}
