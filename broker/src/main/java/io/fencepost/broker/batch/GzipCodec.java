package io.fencepost.broker.batch;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/** Unpacks and makes a gzip member (RFC 1952). */
final class GzipCodec {
  private static final int MAGIC = 0x1F8B;
  private static final int DEFLATE = 8;
  private static final int EXTRA_FLAG = 4;
  private static final int NAME_FLAG = 8;
  private static final int COMMENT_FLAG = 16;
  private static final int CHECKSUM_FLAG = 2;
  private static final int CHUNK_BYTES = 8192;

  private GzipCodec() {}

  static Unpacker open(ByteBuffer in) {
    skipHeader(in);
    Inflater inflater = new Inflater(true);
    inflater.setInput(in);
    return new Inflating(inflater);
  }

  private static final class Inflating implements Unpacker {
    private final Inflater inflater;
    private final byte[] piece = new byte[CHUNK_BYTES];

    Inflating(Inflater inflater) {
      this.inflater = inflater;
    }

    @Override
    public @Nullable ByteBuffer next() {
      try {
        while (!inflater.finished()) {
          int count = inflater.inflate(piece);
          if (count > 0) {
            return ByteBuffer.wrap(piece, 0, count);
          }
          if (inflater.needsInput() || inflater.needsDictionary()) {
            throw new MalformedBatchException("gzip data ends early");
          }
        }
        return null;
      } catch (DataFormatException e) {
        throw new MalformedBatchException("not gzip data: " + e.getMessage(), e);
      }
    }

    @Override
    public void close() {
      inflater.end();
    }
  }

  static ByteBuffer compress(ByteBuffer plain) {
    Packed out = new Packed(plain.remaining() / 2 + CHUNK_BYTES);
    out.putBigEndian(MAGIC << 16 | DEFLATE << 8);
    out.putLittleEndian(0, 6);
    Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
    try {
      deflater.setInput(plain.duplicate());
      deflater.finish();
      while (!deflater.finished()) {
        out.reserve(CHUNK_BYTES);
        out.written(deflater.deflate(out.array(), out.size(), CHUNK_BYTES));
      }
    } finally {
      deflater.end();
    }
    CRC32 crc = new CRC32();
    crc.update(plain.duplicate());
    out.putLittleEndian((int) crc.getValue(), 4);
    out.putLittleEndian(plain.remaining(), 4);
    return out.toBuffer();
  }

  private static void skipHeader(ByteBuffer in) {
    if (in.remaining() < 10 || (in.getShort() & 0xFFFF) != MAGIC || in.get() != DEFLATE) {
      throw new MalformedBatchException("no gzip header");
    }
    int flags = in.get();
    skip(in, 6);
    if ((flags & EXTRA_FLAG) != 0) {
      skip(in, 2);
      skip(in, (in.get(in.position() - 2) & 0xFF) | (in.get(in.position() - 1) & 0xFF) << 8);
    }
    if ((flags & NAME_FLAG) != 0) {
      skipText(in);
    }
    if ((flags & COMMENT_FLAG) != 0) {
      skipText(in);
    }
    if ((flags & CHECKSUM_FLAG) != 0) {
      skip(in, 2);
    }
  }

  private static void skip(ByteBuffer in, int count) {
    if (in.remaining() < count) {
      throw new MalformedBatchException("gzip header ends early");
    }
    in.position(in.position() + count);
  }

  private static void skipText(ByteBuffer in) {
    do {
      skip(in, 1);
    } while (in.get(in.position() - 1) != 0);
  }
}
