package io.fencepost.broker.batch;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Unpacks and makes Zstandard by zstd-jni, an optional library: load this class only inside {@link
 * Codec}.
 */
final class ZstdCodec {
  private static final int CHUNK_BYTES = 64 * 1024;

  private ZstdCodec() {}

  static ByteBuffer compress(ByteBuffer plain) {
    return ByteBuffer.wrap(Zstd.compress(Packed.bytesOf(plain)));
  }

  static Unpacker open(ByteBuffer in) {
    return new Stream(in);
  }

  private static final class Stream implements Unpacker {
    private final ByteBuffer source;
    private final ByteBuffer piece = ByteBuffer.allocateDirect(CHUNK_BYTES);
    private final ZstdDecompressCtx context = new ZstdDecompressCtx();
    private boolean ended;

    Stream(ByteBuffer in) {
      this.source = in.isDirect() ? in : ByteBuffer.allocateDirect(in.remaining()).put(in).flip();
    }

    @Override
    public @Nullable ByteBuffer next() {
      try {
        while (!ended) {
          piece.clear();
          int before = source.position();
          ended = context.decompressDirectByteBufferStream(piece, source) && !source.hasRemaining();
          if (!ended && source.position() == before && piece.position() == 0) {
            throw new MalformedBatchException("zstd data ends early");
          }
          if (piece.flip().hasRemaining()) {
            return piece;
          }
        }
        return null;
      } catch (ZstdException e) {
        throw new MalformedBatchException("not zstd data: " + e.getMessage(), e);
      }
    }

    @Override
    public void close() {
      context.close();
    }
  }
}
