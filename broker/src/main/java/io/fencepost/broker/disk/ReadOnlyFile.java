package io.fencepost.broker.disk;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.port.DiskException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file for those who only look, as long as it was when it was opened. */
final class ReadOnlyFile implements AppendFile {
  private final Path path;
  private final FileChannel channel;
  private final long sizeBytes;

  ReadOnlyFile(Path path) {
    this.path = path;
    try {
      this.channel = FileChannel.open(path, StandardOpenOption.READ);
      this.sizeBytes = channel.size();
    } catch (IOException e) {
      throw FileDisk.refused("open", path, e);
    }
  }

  @Override
  public long sizeBytes() {
    return sizeBytes;
  }

  @Override
  public int read(ByteBuffer into, long position) {
    int start = into.position();
    int limit = into.limit();
    into.limit(start + (int) Math.max(0, Math.min(limit - start, sizeBytes - position)));
    try {
      while (into.hasRemaining()) {
        if (channel.read(into, position + (into.position() - start)) < 0) {
          break;
        }
      }
    } catch (IOException e) {
      throw FileDisk.refused("read", path, e);
    } finally {
      into.limit(limit);
    }
    return into.position() - start;
  }

  @Override
  public Bytes region(long position, int regionBytes) {
    ByteBuffer bytes = ByteBuffer.allocate(regionBytes);
    if (read(bytes, position) < regionBytes) {
      throw new DiskException("a region behind the end of " + path);
    }
    return Bytes.of(bytes.flip());
  }

  @Override
  public void append(ByteBuffer bytes) {
    throw ReadOnlyDisk.readOnly(path);
  }

  @Override
  public void write(ByteBuffer bytes, long position) {
    throw ReadOnlyDisk.readOnly(path);
  }

  @Override
  public void truncate(long newSizeBytes) {
    throw ReadOnlyDisk.readOnly(path);
  }

  @Override
  public void force() {
    throw ReadOnlyDisk.readOnly(path);
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw FileDisk.refused("close", path, e);
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
