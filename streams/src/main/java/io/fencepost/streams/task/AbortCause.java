package io.fencepost.streams.task;

/** Why an open transaction was aborted by its worker; the values of a meter's tag. */
public enum AbortCause {
  /** A client or {@code TryAgainLater} asked for it, and the cluster and the rest is well. */
  ABORT_AND_REWIND,
  /** The cluster did not answer in time, or not yet. */
  RETRY,
  /** What no repetition helps against; the job ends. */
  FATAL,
  /** The group gave partitions to others, and this worker had not noticed. */
  PARTITIONS_LOST,
  /** Input came that was not to be read now: it comes again, in its place. */
  INPUT_MOVED,
  /** The worker ends, or was replaced, and may not commit what is open. */
  ENDED;

  static AbortCause of(FailureClass failure) {
    return switch (failure) {
      case RETRY -> RETRY;
      case FATAL -> FATAL;
      case ABORT_AND_REWIND, FENCED -> ABORT_AND_REWIND;
      case REPLACED -> ENDED;
    };
  }
}
