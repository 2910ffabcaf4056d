package io.fencepost.samples.client;

/** The user asked for something that cannot be done; the message says what, and what to do. */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** A mistake without a deeper cause. */
  public UsageException(String message) {
    super(message);
  }

  /** A mistake that something else brought to light. */
  public UsageException(String message, Throwable cause) {
    super(message, cause);
  }
}
