package io.fencepost.streams;

/** Is told what the workers of a job do, on their threads: be quick. What it throws is logged. */
public interface JobObserver {
  /**
   * A transaction was committed.
   *
   * @param nanos from the first changelog record to the commit's answer
   * @param records input records in it
   * @param bytes of keys and values that it sent, changelogs included
   */
  default void committed(String worker, long nanos, long records, long bytes) {}

  /**
   * A cycle failed; its transaction, if one was open, is aborted and its input read again.
   *
   * @param failure what it means: RETRY, ABORT_AND_REWIND, FENCED, REPLACED, FATAL
   * @param exception simple name of the error's class
   */
  default void failed(String worker, String failure, String exception) {}

  /**
   * The worker aborts its open transaction; what it read for it, it reads again.
   *
   * @param cause one of a few: RETRY, ABORT_AND_REWIND, FATAL after {@link #failed}; or
   *     PARTITIONS_LOST, INPUT_MOVED, ENDED
   */
  default void aborted(String worker, String cause) {}
}
