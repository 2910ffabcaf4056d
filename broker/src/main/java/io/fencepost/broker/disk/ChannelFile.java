package io.fencepost.broker.disk;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.port.DiskException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An {@link AppendFile} over a {@link FileChannel}. The size is counted here: bytes that a failed
 * append left behind it are overwritten by the next one. A channel closes itself when a thread that
 * uses it is interrupted; then it is opened again and the call repeated, so that one interrupted
 * thread harms no other.
 */
final class ChannelFile implements AppendFile {
  private final Path path;
  private final boolean outlivesPower;
  private volatile FileChannel channel;
  private volatile long sizeBytes;
  private volatile boolean closed;

  /** Tells this file from a later one of the same name; null where the system has no such thing. */
  private final @Nullable Object key;

  /**
   * @param outlivesPower whether forcing does anything
   */
  ChannelFile(Path path, boolean outlivesPower) {
    this.path = path;
    this.outlivesPower = outlivesPower;
    try {
      this.channel = openChannel(path);
      this.sizeBytes = channel.size();
      this.key = key(path);
    } catch (IOException e) {
      throw FileDisk.refused("open", path, e);
    }
  }

  private static FileChannel openChannel(Path path) throws IOException {
    return FileChannel.open(
        path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private static @Nullable Object key(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
  }

  /** One call on a channel that may have to be repeated on another one. */
  private interface Operation {
    long on(FileChannel channel) throws IOException;
  }

  private long perform(String action, Operation operation) {
    boolean interrupted = false;
    try {
      while (true) {
        FileChannel current = channel;
        try {
          return operation.on(current);
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
          reopen(current, e);
        } catch (ClosedChannelException e) {
          reopen(current, e);
        }
      }
    } catch (IOException e) {
      throw FileDisk.refused(action, path, e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private synchronized void reopen(FileChannel broken, IOException cause) throws IOException {
    if (closed) {
      throw new DiskException(path + " is closed", cause);
    }
    if (channel == broken) {
      if (!Objects.equals(key, key(path))) {
        throw new DiskException(path + " was replaced by another file of that name", cause);
      }
      channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }
  }

  @Override
  public long sizeBytes() {
    return sizeBytes;
  }

  @Override
  public void append(ByteBuffer bytes) {
    long at = sizeBytes;
    int start = bytes.position();
    try {
      perform(
          "append to",
          open -> {
            bytes.position(start);
            while (bytes.hasRemaining()) {
              open.write(bytes, at + (bytes.position() - start));
            }
            return 0;
          });
    } catch (DiskException refused) {
      bytes.position(start);
      cutBehind(at, refused);
      throw refused;
    }
    sizeBytes = at + (bytes.position() - start);
  }

  /** Gives back the space that a failed append took; harmless if even that fails. */
  private void cutBehind(long size, DiskException reason) {
    try {
      perform(
          "cut",
          open -> {
            open.truncate(size);
            return 0;
          });
    } catch (DiskException alsoRefused) {
      reason.addSuppressed(alsoRefused);
    }
  }

  @Override
  public int read(ByteBuffer into, long position) {
    int start = into.position();
    int limit = into.limit();
    // Not behind the counted size: garbage of a failed append may stand there.
    int wanted = (int) Math.max(0, Math.min(limit - start, sizeBytes - position));
    into.limit(start + wanted);
    try {
      perform(
          "read",
          open -> {
            into.position(start);
            while (into.hasRemaining()) {
              if (open.read(into, position + (into.position() - start)) < 0) {
                break;
              }
            }
            return 0;
          });
    } finally {
      into.limit(limit);
    }
    return into.position() - start;
  }

  @Override
  public void write(ByteBuffer bytes, long position) {
    int start = bytes.position();
    if (position < 0 || position + bytes.remaining() > sizeBytes) {
      throw new DiskException("cannot write behind the end of " + path);
    }
    perform(
        "write",
        open -> {
          bytes.position(start);
          while (bytes.hasRemaining()) {
            open.write(bytes, position + (bytes.position() - start));
          }
          return 0;
        });
  }

  @Override
  public void truncate(long newSizeBytes) {
    perform(
        "cut",
        open -> {
          open.truncate(newSizeBytes);
          return 0;
        });
    sizeBytes = Math.min(sizeBytes, newSizeBytes);
  }

  @Override
  public void force() {
    perform(
        "force",
        open -> {
          if (outlivesPower) {
            open.force(false);
          }
          return 0;
        });
  }

  @Override
  public Bytes region(long position, int regionBytes) {
    if (position < 0 || regionBytes < 0 || position + regionBytes > sizeBytes) {
      throw new DiskException("a region behind the end of " + path);
    }
    return new FileSlice(this, position, regionBytes);
  }

  /** At most this many bytes, straight from the file to the channel; returns how many went. */
  long transferTo(WritableByteChannel target, long position, long count) throws IOException {
    return channel.transferTo(position, count, target);
  }

  @Override
  public synchronized void close() {
    closed = true;
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
