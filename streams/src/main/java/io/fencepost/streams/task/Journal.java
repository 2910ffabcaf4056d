package io.fencepost.streams.task;

import org.jspecify.annotations.Nullable;

/** Where the engine reports facts; the shell logs and measures them with job and worker. */
public interface Journal {
  void note(String fact);

  void warn(String fact, @Nullable Throwable cause);

  /** A transaction is about to be committed; {@link #committed} or {@link #failed} follows. */
  default void committing() {}

  /**
   * A transaction was committed.
   *
   * @param records input records in it
   * @param bytes of keys and values that it sent, changelogs included
   */
  default void committed(long records, long bytes) {}

  /** An open transaction is aborted. */
  default void aborted(AbortCause cause) {}

  /** A call failed; the cycle at hand, if there is one, is given up. */
  default void failed(FailureClass failure, Throwable error) {}
}
