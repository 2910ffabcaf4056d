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

  private static final int LIGHT_BYTES = 8 << 20;
  private static final int ZSTD_SINGLE_SEGMENT = 0x20;

  private Codec() {}

  /** Returns the plain records. Throws {@link MalformedBatchException} if they do not unpack. */
  public static ByteBuffer decompress(Compression compression, ByteBuffer packed) {
    if (compression == Compression.NONE) {
      return packed.slice();
    }
    Unpacked out = new Unpacked(packed.remaining() * 3, MAX_UNPACKED_BYTES);
    try (Unpacker pieces = open(compression, packed)) {
      for (ByteBuffer piece = pieces.next(); piece != null; piece = pieces.next()) {
        out.copyFrom(piece, piece.remaining());
      }
    }
    return out.toBuffer();
  }

  /**
   * Whether unpacking takes more memory than a piece of the records: then not many should do it at
   * once.
   */
  public static boolean isHeavy(Compression compression, ByteBuffer packed) {
    return switch (compression) {
      case NONE, GZIP, LZ4 -> false;
      case SNAPPY -> SnappyCodec.largestBlockBytes(packed.slice()) > LIGHT_BYTES;
      case ZSTD -> zstdWindowBytes(packed.slice()) > LIGHT_BYTES;
    };
  }

  /** As the frame's header says it (RFC 8878); 0 if it says none, so needs no more than it has. */
  private static long zstdWindowBytes(ByteBuffer packed) {
    if (packed.remaining() < 6 || (packed.get(4) & ZSTD_SINGLE_SEGMENT) != 0) {
      return 0;
    }
    int window = packed.get(5) & 0xFF;
    long base = 1L << (10 + (window >>> 3));
    return base + base / 8 * (window & 7);
  }

  /** The plain records, piece by piece. */
  static Unpacker open(Compression compression, ByteBuffer packed) {
    return switch (compression) {
      case NONE -> Unpacker.ofPlain(packed.slice());
      case GZIP -> GzipCodec.open(packed.slice());
      case SNAPPY -> SnappyCodec.open(packed.slice());
      case LZ4 -> Lz4Codec.open(packed.slice());
      case ZSTD -> zstd(packed.slice());
    };
  }

  /** Returns the records under the codec, as every client can unpack them. */
  public static ByteBuffer compress(Compression compression, ByteBuffer plain) {
    return switch (compression) {
      case NONE -> plain.slice();
      case GZIP -> GzipCodec.compress(plain.slice());
      case SNAPPY -> SnappyCodec.compress(plain.slice());
      case LZ4 -> Lz4Codec.compress(plain.slice());
      case ZSTD -> toZstd(plain.slice());
    };
  }

  private static Unpacker zstd(ByteBuffer packed) {
    try {
      return ZstdCodec.open(packed);
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
