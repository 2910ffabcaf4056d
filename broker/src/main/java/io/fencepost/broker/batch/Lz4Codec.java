package io.fencepost.broker.batch;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Unpacks the LZ4 frame format. Checksums inside the frame are skipped: the batch has its own over
 * the same bytes.
 */
final class Lz4Codec {
  private static final int MAGIC = 0x184D2204;
  private static final int PLAIN_BLOCK = 0x80000000;
  private static final int BLOCK_CHECKSUM_FLAG = 0x10;
  private static final int CONTENT_SIZE_FLAG = 0x08;
  private static final int DICTIONARY_FLAG = 0x01;

  private Lz4Codec() {}

  static ByteBuffer decompress(ByteBuffer packed) {
    ByteBuffer in = packed.order(ByteOrder.LITTLE_ENDIAN);
    need(in, 7);
    if (in.getInt() != MAGIC) {
      throw new MalformedBatchException("no lz4 frame");
    }
    int flags = in.get();
    if ((flags & 0xC0) != 0x40 || (flags & DICTIONARY_FLAG) != 0) {
      throw new MalformedBatchException("an lz4 frame of an unknown version or with a dictionary");
    }
    int rest = 2 + ((flags & CONTENT_SIZE_FLAG) != 0 ? 8 : 0);
    need(in, rest);
    in.position(in.position() + rest);
    Unpacked out = new Unpacked(in.remaining() * 3);
    blocks(in, out, (flags & BLOCK_CHECKSUM_FLAG) != 0);
    return out.toBuffer();
  }

  private static void blocks(ByteBuffer in, Unpacked out, boolean checksums) {
    while (true) {
      need(in, 4);
      int word = in.getInt();
      if (word == 0) {
        return;
      }
      int size = word & ~PLAIN_BLOCK;
      need(in, size);
      if ((word & PLAIN_BLOCK) != 0) {
        out.copyFrom(in, size);
      } else {
        ByteBuffer block = in.slice().order(ByteOrder.LITTLE_ENDIAN);
        block.limit(size);
        in.position(in.position() + size);
        block(block, out);
      }
      if (checksums) {
        need(in, 4);
        in.getInt();
      }
    }
  }

  private static void block(ByteBuffer in, Unpacked out) {
    while (in.hasRemaining()) {
      int token = in.get() & 0xFF;
      out.copyFrom(in, length(in, token >>> 4));
      if (!in.hasRemaining()) {
        return;
      }
      need(in, 2);
      int distance = in.getShort() & 0xFFFF;
      out.repeat(distance, 4 + length(in, token & 15), 0);
    }
  }

  private static int length(ByteBuffer in, int nibble) {
    int length = nibble;
    if (nibble == 15) {
      int more;
      do {
        need(in, 1);
        more = in.get() & 0xFF;
        length += more;
      } while (more == 255 && length >= 0);
    }
    return length;
  }

  private static void need(ByteBuffer in, int count) {
    if (count < 0 || in.remaining() < count) {
      throw new MalformedBatchException("lz4 data ends early");
    }
  }
}
