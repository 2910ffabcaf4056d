package io.fencepost.broker.port;

import org.jspecify.annotations.Nullable;

/** Checks of what cannot happen; they stay on in production. */
public final class Invariant {
  private Invariant() {}

  /**
   * @param message a {@link String#format} pattern that names the ids and offsets involved
   * @throws InvariantViolation if the condition is false
   */
  public static void check(boolean condition, String message, @Nullable Object... arguments) {
    if (!condition) {
      throw new InvariantViolation(String.format(message, arguments));
    }
  }

  /** Overload for hot paths: no array and no boxing unless it fails. */
  public static void check(boolean condition, String message, long first, long second) {
    if (!condition) {
      throw new InvariantViolation(String.format(message, first, second));
    }
  }
}
