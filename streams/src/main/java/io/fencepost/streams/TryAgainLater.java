package io.fencepost.streams;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by the user's code when not the input is at fault but something that will come back, as an
 * HTTP server that is away. The open transaction is aborted and its input read again, until it goes
 * well or {@code task.timeout.ms} has passed without a commit; then the job ends with {@link
 * StopReason#TIMED_OUT}.
 */
public final class TryAgainLater extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public TryAgainLater(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
