package io.fencepost.streams.store;

import org.jspecify.annotations.Nullable;

/** Opens the tables of a task. */
public interface StoreOpener {
  /**
   * The tables of that task; null while another task, worker or process still holds them.
   *
   * @throws StoreFailure if they cannot be opened at all; what is damaged was set aside before
   */
  @Nullable StoreTable open(TaskId task);
}
