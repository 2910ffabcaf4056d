package io.fencepost.streams;

import org.jspecify.annotations.Nullable;

/** A job that cannot start as defined and configured. The message is for the user, and complete. */
public final class JobStartException extends RuntimeException {
  public JobStartException(String message) {
    this(message, null);
  }

  public JobStartException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
