package io.fencepost.streams.task;

import org.jspecify.annotations.Nullable;

/** Where the engine reports facts; the shell logs them with job and worker. */
public interface Journal {
  void note(String fact);

  void warn(String fact, @Nullable Throwable cause);
}
