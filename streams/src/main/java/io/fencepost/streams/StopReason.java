package io.fencepost.streams;

/** Why a job ended, in one word. */
public enum StopReason {
  /** {@link JobHandle#stop} was called. */
  STOPPED,
  /** Another process took over the transactional ids of all workers. */
  REPLACED,
  /** An input record cannot be processed and no dead-letter topic is set. */
  POISON_INPUT,
  /** The broker refuses for good (authorization, too large records, missing topics, versions). */
  REFUSED,
  /** The broker could not be reached, or every try failed, for task.timeout.ms. */
  TIMED_OUT,
  /** A fault of the job or of this library. */
  FAILED
}
