package io.fencepost.broker.batch;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Plain bytes of a compressed batch, piece by piece, so that looking at a batch takes little memory
 * whatever it unpacks to. Not thread-safe.
 */
interface Unpacker extends AutoCloseable {
  /**
   * The next bytes, valid until the next call; null at the end. Throws {@link
   * MalformedBatchException} if they do not unpack.
   */
  @Nullable ByteBuffer next();

  @Override
  default void close() {}

  /** These bytes as they are. */
  static Unpacker ofPlain(ByteBuffer bytes) {
    return new Unpacker() {
      private @Nullable ByteBuffer rest = bytes.hasRemaining() ? bytes : null;

      @Override
      public @Nullable ByteBuffer next() {
        ByteBuffer piece = rest;
        rest = null;
        return piece;
      }
    };
  }
}
