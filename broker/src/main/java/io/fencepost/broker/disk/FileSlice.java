package io.fencepost.broker.disk;

import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.port.DiskException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/**
 * A region of a file, for sending without a copy through this process. Stays readable after the
 * file's name is deleted, until the file is closed.
 */
public final class FileSlice implements Bytes {
  private final ChannelFile file;
  private final long position;
  private final int sizeBytes;

  FileSlice(ChannelFile file, long position, int sizeBytes) {
    this.file = file;
    this.position = position;
    this.sizeBytes = sizeBytes;
  }

  @Override
  public int sizeBytes() {
    return sizeBytes;
  }

  @Override
  public ByteBuffer toBuffer() {
    ByteBuffer into = ByteBuffer.allocate(sizeBytes);
    if (file.read(into, position) < sizeBytes) {
      throw new DiskException("a region of " + file + " was cut off while it was in use");
    }
    return into.flip();
  }

  /** Sends all bytes to a blocking channel. Fails if the file was cut off meanwhile. */
  public void transferTo(WritableByteChannel target) throws IOException {
    long done = 0;
    while (done < sizeBytes) {
      done += transferFrom(target, done);
    }
  }

  /** Sends what the channel takes, from this byte of the region on; returns how many went. */
  public long transferFrom(WritableByteChannel target, long from) throws IOException {
    long sent = file.transferTo(target, position + from, sizeBytes - from);
    if (sent == 0 && file.sizeBytes() < position + sizeBytes) {
      throw new EOFException("a region of " + file + " was cut off while it was sent");
    }
    return sent;
  }
}
