package io.fencepost.broker.net;

import io.fencepost.broker.disk.FileSlice;
import io.fencepost.broker.port.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.util.ArrayList;
import java.util.List;

/** Writes one response frame: memory by gathering writes, file regions without a copy. */
final class ResponseWriter {
  /** A heap buffer is copied by the JDK before it is written; this bounds that copy. */
  private static final int PIECE_BYTES = 256 * 1024;

  private ResponseWriter() {}

  static void write(GatheringByteChannel channel, List<Bytes> parts) throws IOException {
    long sizeBytes = 0;
    for (Bytes part : parts) {
      sizeBytes += part.sizeBytes();
    }
    if (sizeBytes > Integer.MAX_VALUE) {
      throw new IOException("a response of " + sizeBytes + " bytes does not fit into a frame");
    }
    List<ByteBuffer> memory = new ArrayList<>();
    memory.add(ByteBuffer.allocate(4).putInt(0, (int) sizeBytes));
    for (Bytes part : parts) {
      if (part instanceof FileSlice slice) {
        flush(channel, memory);
        slice.transferTo(channel);
      } else {
        addPieces(part.toBuffer(), memory);
      }
    }
    flush(channel, memory);
  }

  private static void addPieces(ByteBuffer buffer, List<ByteBuffer> memory) {
    int end = buffer.limit();
    for (int start = buffer.position(); start < end; start += PIECE_BYTES) {
      memory.add(buffer.duplicate().position(start).limit(Math.min(end, start + PIECE_BYTES)));
    }
  }

  private static void flush(GatheringByteChannel channel, List<ByteBuffer> memory)
      throws IOException {
    int first = 0;
    while (first < memory.size()) {
      int end = first;
      for (long gathered = 0; end < memory.size() && gathered < PIECE_BYTES; end++) {
        gathered += memory.get(end).remaining();
      }
      ByteBuffer[] some = memory.subList(first, end).toArray(new ByteBuffer[0]);
      while (some[some.length - 1].hasRemaining()) {
        if (channel.write(some) < 0) {
          throw new IOException("the connection takes no more bytes");
        }
      }
      first = end;
    }
    memory.clear();
  }
}
