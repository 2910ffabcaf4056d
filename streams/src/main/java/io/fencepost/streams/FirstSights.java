package io.fencepost.streams;

import java.util.Arrays;
import java.util.function.BiConsumer;

/**
 * What one record of the changelog of {@code deduplicate} holds: many keys with the event time of
 * their first sight. A record per key and transaction would cost as much as the job's output; these
 * are never rewritten key by key, only forgotten with time, so the topic needs no compaction.
 *
 * <p>Layout of the record's value (its key is null): a byte {@code 1}; the newest time of all
 * entries, eight bytes, big endian; then per entry the key's length, its bytes, and how long before
 * the newest it was seen, in ms. Both numbers are unsigned varints of up to 5 and 10 bytes (seven
 * bits a byte, least significant first). A later entry of a key replaces an earlier one.
 */
public final class FirstSights {
  private static final byte VERSION = 1;
  private static final int HEAD_BYTES = 9;
  private static final int LENGTH_BYTES = 5;
  private static final int AGE_BYTES = 10;

  private FirstSights() {}

  /** Whether a value has this layout, as far as its head tells. */
  public static boolean isReadable(byte[] value) {
    return value.length >= HEAD_BYTES && value[0] == VERSION;
  }

  /** Shows each key and its time in ms. */
  public static void forEach(byte[] value, BiConsumer<byte[], Long> visitor) {
    long newestMs = newestMs(value);
    Reader in = new Reader(value);
    while (in.at < value.length) {
      int start = in.at;
      long length = in.varint();
      if (length < 0 || length > value.length - in.at) {
        throw damaged(value, start);
      }
      byte[] key = Arrays.copyOfRange(value, in.at, in.at + (int) length);
      in.at += (int) length;
      visitor.accept(key, newestMs - in.varint());
    }
  }

  /** The newest time that such a value knows of, in ms. */
  public static long newestMs(byte[] value) {
    if (!isReadable(value)) {
      throw damaged(value, 0);
    }
    long newestMs = 0;
    for (int i = 1; i < HEAD_BYTES; i++) {
      newestMs = newestMs << 8 | (value[i] & 0xff);
    }
    return newestMs;
  }

  private static IllegalArgumentException damaged(byte[] value, int at) {
    return new IllegalArgumentException(
        "no record of first sights: unreadable at byte "
            + at
            + " of "
            + value.length
            + "; was the changelog written by something else?");
  }

  private static final class Reader {
    private final byte[] bytes;
    private int at;

    Reader(byte[] bytes) {
      this.bytes = bytes;
      this.at = HEAD_BYTES;
    }

    long varint() {
      long value = 0;
      for (int shift = 0; at < bytes.length && shift < 70; shift += 7) {
        byte next = bytes[at++];
        value |= (long) (next & 0x7f) << shift;
        if (next >= 0) {
          return value;
        }
      }
      throw damaged(bytes, at);
    }
  }

  /** Packs entries into values of records. Not thread safe. */
  public static final class Packer {
    private final int maxBytes;
    private final Sink sink;
    private byte[] buffer;
    private int size = HEAD_BYTES;
    private long newestMs;

    /**
     * Nothing packed yet.
     *
     * @param maxBytes of a value, unless one key alone is larger
     * @param newestMs no entry is newer than this
     */
    public Packer(int maxBytes, long newestMs, Sink sink) {
      this.maxBytes = maxBytes;
      this.newestMs = newestMs;
      this.sink = sink;
      this.buffer = new byte[HEAD_BYTES];
    }

    /** Takes finished values. */
    @FunctionalInterface
    public interface Sink {
      void packed(byte[] value, long newestMs);
    }

    public void add(byte[] key, long seenMs) {
      int most = key.length + LENGTH_BYTES + AGE_BYTES;
      if (size > HEAD_BYTES && size + most > maxBytes) {
        finish();
      }
      if (buffer.length < size + most) {
        buffer = Arrays.copyOf(buffer, Math.max(size + most, Math.min(maxBytes, 4 * size)));
      }
      varint(key.length);
      System.arraycopy(key, 0, buffer, size, key.length);
      size += key.length;
      varint(newestMs - seenMs);
    }

    private void varint(long value) {
      long rest = value;
      while ((rest & ~0x7fL) != 0) {
        buffer[size++] = (byte) (rest | 0x80);
        rest >>>= 7;
      }
      buffer[size++] = (byte) rest;
    }

    /** Hands over what is left, if anything. */
    public void finish() {
      if (size == HEAD_BYTES) {
        return;
      }
      buffer[0] = VERSION;
      for (int i = 0; i < 8; i++) {
        buffer[1 + i] = (byte) (newestMs >>> (56 - 8 * i));
      }
      sink.packed(Arrays.copyOf(buffer, size), newestMs);
      size = HEAD_BYTES;
    }
  }
}
