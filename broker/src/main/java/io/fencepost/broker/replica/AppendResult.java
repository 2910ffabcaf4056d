package io.fencepost.broker.replica;

import io.fencepost.broker.wire.WireError;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one append. {@code logAppendTimeMs} is -1 when the batch keeps the producer's
 * times; {@code baseOffset} is -1 on error.
 */
public record AppendResult(
    WireError error,
    long baseOffset,
    long logAppendTimeMs,
    long logStartOffset,
    @Nullable String message) {

  /** Not written, or (KAFKA_STORAGE_ERROR and timeouts) not known to be. */
  static AppendResult refused(WireError error, long logStartOffset, @Nullable String message) {
    return new AppendResult(error, -1, -1, logStartOffset, message);
  }

  public boolean isOk() {
    return error == WireError.NONE;
  }
}
