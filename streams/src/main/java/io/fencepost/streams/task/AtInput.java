package io.fencepost.streams.task;

import io.fencepost.streams.Origin;

/**
 * Says at which input an {@link Error} was thrown, as one of its suppressed exceptions. Such an
 * input is no dead letter, as nobody can tell whether it is at fault or the whole process.
 */
final class AtInput extends RuntimeException {
  private AtInput(Origin origin) {
    super(String.valueOf(origin), null, false, false);
  }

  /** The same error, now with the input's name. */
  static Error mark(Error error, Origin origin) {
    error.addSuppressed(new AtInput(origin));
    return error;
  }
}
