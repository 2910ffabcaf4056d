package io.fencepost.broker.replica;

import io.fencepost.broker.wire.WireError;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one append. {@code logAppendTimeMs} is -1 when the batch keeps the producer's
 * times; {@code baseOffset} is -1 on error. {@code faults} names the records for which a batch was
 * refused, if it was for some of them (KIP-467); a producer may send the others again.
 */
public record AppendResult(
    WireError error,
    long baseOffset,
    long logAppendTimeMs,
    long logStartOffset,
    @Nullable String message,
    List<RecordFault> faults) {

  /** Why the record at this place of its batch is refused. */
  public record RecordFault(int index, String message) {}

  AppendResult(WireError error, long baseOffset, long logAppendTimeMs, long logStartOffset) {
    this(error, baseOffset, logAppendTimeMs, logStartOffset, null, List.of());
  }

  /** Not written, or (KAFKA_STORAGE_ERROR and timeouts) not known to be. */
  static AppendResult refused(WireError error, long logStartOffset, @Nullable String message) {
    return new AppendResult(error, -1, -1, logStartOffset, message, List.of());
  }

  public boolean isOk() {
    return error == WireError.NONE;
  }

  AppendResult withFaults(List<RecordFault> found) {
    return new AppendResult(error, baseOffset, logAppendTimeMs, logStartOffset, message, found);
  }
}
