package io.fencepost.streams;

/** What a job or one of its workers is doing. */
public enum JobState {
  /** No task yet: joins the group, or waits for the first partition. */
  STARTING,
  /** Some task is not ready: it waits for its stores, or reads its changelogs. */
  RESTORING,
  /** All tasks take input. */
  RUNNING,
  /** By {@link JobHandle#pause}. */
  PAUSED,
  /**
   * Transactions fail and are tried again, for task.timeout.ms at most; or a commit has been
   * waiting for the cluster for some seconds, and nobody knows yet how it ends.
   */
  FAILING,
  ENDED
}
