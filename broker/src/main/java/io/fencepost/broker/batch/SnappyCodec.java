package io.fencepost.broker.batch;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Unpacks Snappy: either the framing of snappy-java (a magic header, then blocks with their size in
 * front), which Java clients write, or one raw block, which some others write. Makes the former.
 */
final class SnappyCodec {
  private static final byte[] FRAMING = {(byte) 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0};
  private static final int FRAMING_HEADER_BYTES = 16;
  private static final int BLOCK_BYTES = 32 * 1024;
  private static final int MAX_COPY_BYTES = 64;

  /** So many bytes come of one at most: 64 of a copy of three. */
  private static final int MAX_RATIO = 22;

  private SnappyCodec() {}

  static Unpacker open(ByteBuffer in) {
    boolean framed = isFramed(in);
    if (framed) {
      in.position(FRAMING_HEADER_BYTES);
    }
    return new Blocks(in, framed);
  }

  private static final class Blocks implements Unpacker {
    private final ByteBuffer in;
    private final boolean framed;
    private final Unpacked out = new Unpacked(BLOCK_BYTES, Codec.MAX_UNPACKED_BYTES);

    /** A raw block may be empty, but there must be one. */
    private boolean begun;

    Blocks(ByteBuffer in, boolean framed) {
      this.in = in;
      this.framed = framed;
    }

    @Override
    public @Nullable ByteBuffer next() {
      while (in.hasRemaining() || (!framed && !begun)) {
        begun = true;
        out.keepLast(0);
        block(framed ? framedBlock() : in, out);
        if (out.size() > 0) {
          return out.since(0);
        }
      }
      return null;
    }

    private ByteBuffer framedBlock() {
      if (in.remaining() < 4) {
        throw new MalformedBatchException("snappy data ends inside a block size");
      }
      int size = in.getInt();
      if (size < 0 || size > in.remaining()) {
        throw new MalformedBatchException("a snappy block claims " + size + " bytes");
      }
      ByteBuffer block = in.slice();
      block.limit(size);
      in.position(in.position() + size);
      return block;
    }
  }

  static ByteBuffer compress(ByteBuffer plain) {
    byte[] bytes = Packed.bytesOf(plain);
    Packed out = new Packed(bytes.length / 2 + 64);
    out.put(FRAMING, 0, FRAMING.length);
    out.putBigEndian(1);
    out.putBigEndian(1);
    Repeats repeats = new Repeats();
    for (int at = 0; at < bytes.length; at += BLOCK_BYTES) {
      int count = Math.min(BLOCK_BYTES, bytes.length - at);
      int sizeAt = out.size();
      out.putBigEndian(0);
      for (int left = count; ; left >>>= 7) {
        if (left < 0x80) {
          out.put(left);
          break;
        }
        out.put((left & 0x7F) | 0x80);
      }
      repeats.find(bytes, at, count, new BlockWriter(bytes, out));
      out.setInt(sizeAt, out.size() - sizeAt - 4, false);
    }
    return out.toBuffer();
  }

  private record BlockWriter(byte[] bytes, Packed out) implements Repeats.Sink {
    @Override
    public void sequence(int literalAt, int literalCount, int distance, int matchCount) {
      rest(literalAt, literalCount);
      for (int left = matchCount; left > 0; left -= MAX_COPY_BYTES) {
        out.put((Math.min(left, MAX_COPY_BYTES) - 1) << 2 | 2);
        out.putLittleEndian(distance, 2);
      }
    }

    @Override
    public void rest(int literalAt, int literalCount) {
      if (literalCount == 0) {
        return;
      }
      int length = literalCount - 1;
      if (length < 60) {
        out.put(length << 2);
      } else if (length < 256) {
        out.put(60 << 2);
        out.put(length);
      } else {
        out.put(61 << 2);
        out.putLittleEndian(length, 2);
      }
      out.put(bytes, literalAt, literalCount);
    }
  }

  /** What the blocks say of themselves; a liar is found out when it is unpacked. */
  static long largestBlockBytes(ByteBuffer in) {
    if (!isFramed(in)) {
      return unpackedSize(in);
    }
    long largest = 0;
    for (int at = FRAMING_HEADER_BYTES; at >= 0 && at + 4 < in.limit(); ) {
      largest = Math.max(largest, unpackedSize(in.position(at + 4)));
      at += 4 + Math.max(0, in.getInt(at));
    }
    return largest;
  }

  private static boolean isFramed(ByteBuffer in) {
    if (in.remaining() < FRAMING_HEADER_BYTES) {
      return false;
    }
    for (int i = 0; i < FRAMING.length; i++) {
      if (in.get(i) != FRAMING[i]) {
        return false;
      }
    }
    return true;
  }

  private static void block(ByteBuffer in, Unpacked out) {
    long size = unpackedSize(in);
    out.reserve((int) Math.min(size, MAX_RATIO * (long) in.remaining()));
    while (in.hasRemaining()) {
      element(in, out);
      if (out.size() > size) {
        throw new MalformedBatchException("a snappy block unpacks to more than it says");
      }
    }
    if (out.size() != size) {
      throw new MalformedBatchException("a snappy block unpacks to less than it says");
    }
  }

  private static long unpackedSize(ByteBuffer in) {
    long size = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      int next = one(in);
      size |= (long) (next & 0x7F) << shift;
      if (next < 0x80) {
        return size;
      }
    }
    throw new MalformedBatchException("a snappy block has no size");
  }

  private static void element(ByteBuffer in, Unpacked out) {
    int tag = one(in);
    switch (tag & 3) {
      case 0 -> {
        int count = tag >>> 2;
        out.copyFrom(in, 1 + (count < 60 ? count : littleEndian(in, count - 59)));
      }
      case 1 -> out.repeat((tag & 0xE0) << 3 | one(in), 4 + (tag >>> 2 & 7));
      case 2 -> out.repeat(littleEndian(in, 2), 1 + (tag >>> 2));
      default -> out.repeat(littleEndian(in, 4), 1 + (tag >>> 2));
    }
  }

  private static int littleEndian(ByteBuffer in, int count) {
    int value = 0;
    for (int i = 0; i < count; i++) {
      value |= one(in) << (8 * i);
    }
    return value;
  }

  private static int one(ByteBuffer in) {
    if (!in.hasRemaining()) {
      throw new MalformedBatchException("snappy data ends early");
    }
    return in.get() & 0xFF;
  }
}
