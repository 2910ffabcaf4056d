package io.fencepost.broker.batch;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Unpacks and makes the LZ4 frame format. Checksums inside the frame are skipped: the batch has its
 * own over the same bytes.
 */
final class Lz4Codec {
  private static final int MAGIC = 0x184D2204;
  private static final int PLAIN_BLOCK = 0x80000000;
  private static final int BLOCK_CHECKSUM_FLAG = 0x10;
  private static final int CONTENT_SIZE_FLAG = 0x08;
  private static final int DICTIONARY_FLAG = 0x01;

  /** What the format allows, and how far a block may refer to those before it. */
  private static final int MAX_BLOCK_BYTES = 4 << 20;

  private static final int WINDOW_BYTES = 64 << 10;

  /** Version 1, independent blocks of at most 64 KiB, and the checksum of just these two bytes. */
  private static final int FRAME_FLAGS = 0x60;

  private static final int FRAME_BLOCKS = 0x40;
  private static final int FRAME_CHECKSUM = 0x82;

  private Lz4Codec() {}

  static Unpacker open(ByteBuffer packed) {
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
    return new Blocks(in, (flags & BLOCK_CHECKSUM_FLAG) != 0);
  }

  static ByteBuffer compress(ByteBuffer plain) {
    byte[] bytes = Packed.bytesOf(plain);
    Packed out = new Packed(bytes.length / 2 + 64);
    out.putLittleEndian(MAGIC, 4);
    out.put(FRAME_FLAGS);
    out.put(FRAME_BLOCKS);
    out.put(FRAME_CHECKSUM);
    Repeats repeats = new Repeats();
    for (int at = 0; at < bytes.length; at += Repeats.MAX_BLOCK_BYTES) {
      int count = Math.min(Repeats.MAX_BLOCK_BYTES, bytes.length - at);
      int sizeAt = out.size();
      out.putLittleEndian(0, 4);
      repeats.find(bytes, at, count, new BlockWriter(bytes, out));
      int packed = out.size() - sizeAt - 4;
      if (packed >= count) {
        out.cut(sizeAt + 4);
        out.put(bytes, at, count);
        packed = count | PLAIN_BLOCK;
      }
      out.setInt(sizeAt, packed, true);
    }
    out.putLittleEndian(0, 4);
    return out.toBuffer();
  }

  private record BlockWriter(byte[] bytes, Packed out) implements Repeats.Sink {
    @Override
    public void sequence(int literalAt, int literalCount, int distance, int matchCount) {
      int more = matchCount - 4;
      out.put(Math.min(literalCount, 15) << 4 | Math.min(more, 15));
      length(literalCount);
      out.put(bytes, literalAt, literalCount);
      out.putLittleEndian(distance, 2);
      length(more);
    }

    @Override
    public void rest(int literalAt, int literalCount) {
      out.put(Math.min(literalCount, 15) << 4);
      length(literalCount);
      out.put(bytes, literalAt, literalCount);
    }

    private void length(int count) {
      if (count >= 15) {
        int left = count - 15;
        for (; left >= 255; left -= 255) {
          out.put(255);
        }
        out.put(left);
      }
    }
  }

  private static final class Blocks implements Unpacker {
    private final ByteBuffer in;
    private final boolean checksums;
    private final Unpacked out =
        new Unpacked(WINDOW_BYTES + Repeats.MAX_BLOCK_BYTES, WINDOW_BYTES + MAX_BLOCK_BYTES);
    private boolean ended;

    Blocks(ByteBuffer in, boolean checksums) {
      this.in = in;
      this.checksums = checksums;
    }

    @Override
    public @Nullable ByteBuffer next() {
      while (!ended) {
        out.keepLast(WINDOW_BYTES);
        int before = out.size();
        nextBlock();
        if (out.size() > before) {
          return out.since(before);
        }
      }
      return null;
    }

    private void nextBlock() {
      need(in, 4);
      int word = in.getInt();
      if (word == 0) {
        ended = true;
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
      out.repeat(distance, 4 + length(in, token & 15));
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
