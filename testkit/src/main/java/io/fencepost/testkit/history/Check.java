package io.fencepost.testkit.history;

import java.util.List;

/** One invariant, checked over a whole history. Each implementation has no state between calls. */
public interface Check {
  /** The invariant's id in the documentation, such as V1. */
  String id();

  /** What holds, in one sentence. */
  default String sentence() {
    return Invariants.sentence(id());
  }

  /** Without events of each of these kinds there is no occasion to break it. */
  List<Class<? extends Event>> needs();

  /** What is counted as an occasion to break it, in the plural. */
  String occasions();

  Verdict check(History history);

  /** The checks of what clients saw, in the order of their ids. */
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

  /** Those that need more: the logs after the stop, sessions that were fenced, a job's output. */
  static List<Check> underFire() {
    return List.of(
        new SessionOwnership(),
        new EpochGrowth(),
        new OneLeader(),
        new LegalMoves(),
        new PrepareKept(),
        new MarkersPrepared(),
        new LateRequest(),
        new RepeatedMarker(),
        new EndAgreement(),
        new FencedSession(),
        new StaleMember(),
        new TimedOut(),
        new OneEnd(),
        new MidwayReads(),
        new SafeRemoval(),
        new ReplicaAgreement(),
        new DependencyCycle(),
        new AbortedShown(),
        new OutputOfInput(),
        new CommittedOffsets(),
        new AcceptedOnce(),
        new ConservedSums(),
        new EverythingEnds());
  }
}
