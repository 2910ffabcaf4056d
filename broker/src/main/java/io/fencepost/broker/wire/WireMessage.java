package io.fencepost.broker.wire;

import io.fencepost.broker.port.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A request, response or record of Kafka's protocol, for all versions that its specification knows.
 * The classes are generated; each also has {@code static X read(WireReader in, int version)}.
 * Fields are public and hold the specified defaults; an instance belongs to one thread at a time.
 */
public interface WireMessage {
  byte[] NO_BYTES = new byte[0];

  /**
   * @throws WireException if a field's value can't be expressed in that version and the
   *     specification does not allow to leave it out
   */
  void write(WireWriter out, int version);

  /** How bytes show in a description: their size, never their content, which may be a secret. */
  static String describe(byte @Nullable [] bytes) {
    return bytes == null ? "null" : bytes.length + " bytes";
  }

  /** How a run of bytes shows in a description. */
  static String describe(@Nullable Bytes bytes) {
    return bytes == null ? "null" : bytes.sizeBytes() + " bytes";
  }
}
