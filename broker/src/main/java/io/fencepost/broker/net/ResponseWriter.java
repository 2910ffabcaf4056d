package io.fencepost.broker.net;

import io.fencepost.broker.disk.FileSlice;
import io.fencepost.broker.port.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.List;

/** Writes one response frame: memory through a small buffer, file regions without a copy. */
final class ResponseWriter {
  private ResponseWriter() {}

  static long sizeBytes(List<Bytes> parts) throws IOException {
    long sizeBytes = 0;
    for (Bytes part : parts) {
      sizeBytes += part.sizeBytes();
    }
    if (sizeBytes > Integer.MAX_VALUE) {
      throw new IOException("a response of " + sizeBytes + " bytes does not fit into a frame");
    }
    return sizeBytes;
  }

  /**
   * Returns when all is written.
   *
   * @param through a direct buffer that is free meanwhile
   */
  static void write(WritableByteChannel channel, List<Bytes> parts, ByteBuffer through)
      throws IOException {
    through.clear().putInt((int) sizeBytes(parts));
    for (Bytes part : parts) {
      if (part instanceof FileSlice slice) {
        flush(channel, through);
        slice.transferTo(channel);
      } else {
        copy(part.toBuffer(), channel, through);
      }
    }
    flush(channel, through);
  }

  private static void copy(ByteBuffer from, WritableByteChannel channel, ByteBuffer through)
      throws IOException {
    int end = from.limit();
    while (from.position() < end) {
      if (!through.hasRemaining()) {
        flush(channel, through);
      }
      from.limit(Math.min(end, from.position() + through.remaining()));
      through.put(from);
    }
  }

  private static void flush(WritableByteChannel channel, ByteBuffer through) throws IOException {
    through.flip();
    while (through.hasRemaining()) {
      if (channel.write(through) < 0) {
        throw new IOException("the connection takes no more bytes");
      }
    }
    through.clear();
  }
}
