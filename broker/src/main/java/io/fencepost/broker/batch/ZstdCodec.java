package io.fencepost.broker.batch;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;

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

  static ByteBuffer decompress(ByteBuffer in) {
    ByteBuffer source = ByteBuffer.allocateDirect(in.remaining()).put(in).flip();
    ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
    Unpacked out = new Unpacked(source.remaining() * 3);
    try (ZstdDecompressCtx context = new ZstdDecompressCtx()) {
      boolean ended = false;
      while (!ended) {
        int before = source.position();
        ended = context.decompressDirectByteBufferStream(chunk, source);
        if (!ended && source.position() == before && chunk.position() == 0) {
          throw new MalformedBatchException("zstd data ends early");
        }
        chunk.flip();
        out.copyFrom(chunk, chunk.remaining());
        chunk.clear();
      }
      return out.toBuffer();
    } catch (ZstdException e) {
      throw new MalformedBatchException("not zstd data: " + e.getMessage(), e);
    }
  }
}
