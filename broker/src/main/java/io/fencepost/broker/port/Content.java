package io.fencepost.broker.port;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Bytes that are made while they are written, so that they need not be in memory all at once. */
@FunctionalInterface
public interface Content {
  /**
   * Hands over all bytes, piece by piece. The sink takes what remains of each buffer before it
   * returns, and the buffer may be filled again then.
   */
  void writeTo(Consumer<ByteBuffer> sink);

  /** These bytes, as they are. */
  static Content of(byte[] bytes) {
    return sink -> sink.accept(ByteBuffer.wrap(bytes));
  }
}
