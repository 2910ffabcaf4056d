package io.fencepost.testkit.net;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** The protocol's frames: four bytes of length, and what they announce. */
final class Frames {
  private static final int FRAME_MAX_BYTES = 128 << 20;
  private static final int TLS_HANDSHAKE = 0x1603;
  private static final int TLS_ALERT = 0x1503;

  private Frames() {}

  /** Bytes that are no frames of this protocol; the message says what they look like. */
  static final class NoFrameException extends IOException {
    private static final long serialVersionUID = 1L;

    NoFrameException(String message) {
      super(message);
    }
  }

  /**
   * The next frame without its length; end of stream is an exception too. Memory is taken as bytes
   * come, not as they are announced.
   */
  static ByteBuffer read(InputStream in) throws IOException {
    byte[] length = in.readNBytes(Integer.BYTES);
    if (length.length < Integer.BYTES) {
      throw new EOFException(
          length.length == 0 ? "the end" : "the end after " + length.length + " bytes of a length");
    }
    int sizeBytes = ByteBuffer.wrap(length).getInt();
    if (sizeBytes < Integer.BYTES || sizeBytes > FRAME_MAX_BYTES) {
      throw new NoFrameException(whatItIs(sizeBytes));
    }
    byte[] frame = in.readNBytes(sizeBytes);
    if (frame.length < sizeBytes) {
      throw new EOFException("the end after %d of %d bytes".formatted(frame.length, sizeBytes));
    }
    return ByteBuffer.wrap(frame);
  }

  private static String whatItIs(int sizeBytes) {
    int first = sizeBytes >>> Short.SIZE;
    if (first == TLS_HANDSHAKE || first == TLS_ALERT) {
      return "TLS: what passes has to be read, so both sides need security.protocol=PLAINTEXT";
    }
    return "a frame of " + sizeBytes + " bytes: that is not Kafka's protocol";
  }

  /** One write for length and frame, so that they leave in one packet. */
  static void write(OutputStream out, ByteBuffer frame) throws IOException {
    ByteBuffer whole = ByteBuffer.allocate(Integer.BYTES + frame.remaining());
    whole.putInt(frame.remaining()).put(frame.duplicate());
    out.write(whole.array());
  }
}
