package io.fencepost.broker.port;

/** A bug: the state contradicts itself. Nothing that a user did or can repair. */
public final class InvariantViolation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public InvariantViolation(String message) {
    super(message);
  }
}
