package io.fencepost.broker.batch;

import java.nio.ByteBuffer;

/**
 * Decompresses the records of a batch, and compresses what compaction left of one. Producers'
 * batches are stored and sent untouched; this is for the few who look inside: time look-ups,
 * compaction, tools. Gzip, Snappy and LZ4 need nothing; Zstandard needs zstd-jni on the class path.
 */
public final class Codec {
  /** No batch may unpack to more, so that a few bytes cannot take all memory. */
  static final int MAX_UNPACKED_BYTES = 512 * 1024 * 1024;

  private Codec() {}

  /** Returns the plain records. Throws {@link MalformedBatchException} if they do not unpack. */
  public static ByteBuffer decompress(Compression compression, ByteBuffer packed) {
    return switch (compression) {
      case NONE -> packed.slice();
      case GZIP -> GzipCodec.decompress(packed.slice());
      case SNAPPY -> SnappyCodec.decompress(packed.slice());
      case LZ4 -> Lz4Codec.decompress(packed.slice());
      case ZSTD -> zstd(packed.slice());
    };
  }

  /** Returns the records under the codec, as every client can unpack them. */
  static ByteBuffer compress(Compression compression, ByteBuffer plain) {
    return switch (compression) {
      case NONE -> plain.slice();
      case GZIP -> GzipCodec.compress(plain.slice());
      case SNAPPY -> SnappyCodec.compress(plain.slice());
      case LZ4 -> Lz4Codec.compress(plain.slice());
      case ZSTD -> toZstd(plain.slice());
    };
  }

  private static ByteBuffer zstd(ByteBuffer packed) {
    try {
      return ZstdCodec.decompress(packed);
    } catch (LinkageError missing) {
      throw missing(missing);
    }
  }

  private static ByteBuffer toZstd(ByteBuffer plain) {
    try {
      return ZstdCodec.compress(plain);
    } catch (LinkageError missing) {
      throw missing(missing);
    }
  }

  private static CodecMissingException missing(LinkageError missing) {
    return new CodecMissingException(
        "a batch is compressed by zstd, which needs com.github.luben:zstd-jni on the class path",
        missing);
  }
}
