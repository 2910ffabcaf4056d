package io.fencepost.broker.log;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Up to where a log is on disk, overwritten after each force and not forced itself: never too high,
 * and exact unless the power failed. It tells a tail that a crash has torn from one that was whole
 * and is not any more.
 */
final class DurableMark {
  private static final int BYTES = 12;

  private final Disk disk;
  private final String path;
  private final ByteBuffer bytes = ByteBuffer.allocate(BYTES);
  private @Nullable AppendFile file;
  private long offset;

  DurableMark(Disk disk, String path, long offset) {
    this.disk = disk;
    this.path = path;
    this.offset = offset;
  }

  /** 0 if there is none, or if it is damaged. */
  static long load(Disk disk, String path) {
    if (!disk.exists(path)) {
      return 0;
    }
    ByteBuffer in = ByteBuffer.wrap(disk.read(path));
    return isIntact(in) ? Math.max(0, in.getLong()) : 0;
  }

  /** Whether the file, which exists, fits its checksum. */
  static boolean isIntact(Disk disk, String path) {
    return isIntact(ByteBuffer.wrap(disk.read(path)));
  }

  private static boolean isIntact(ByteBuffer in) {
    return in.remaining() == BYTES && in.getInt(8) == checksum(in);
  }

  /** All below is on disk. A refusal is of no account: the old mark is just lower. */
  void raise(long newOffset) {
    if (newOffset > offset) {
      try {
        write(newOffset);
      } catch (DiskException refused) {
        return;
      }
    }
  }

  /** Durably, before anything at or above is removed. */
  void lower(long newOffset) {
    if (newOffset < offset) {
      write(newOffset).force();
    }
  }

  private AppendFile write(long newOffset) {
    bytes.clear();
    bytes.putLong(newOffset).putInt(checksum(bytes)).flip();
    AppendFile open = file;
    if (open == null) {
      open = disk.open(path);
      file = open;
    }
    if (open.sizeBytes() == BYTES) {
      open.write(bytes, 0);
    } else {
      open.truncate(0);
      open.append(bytes);
    }
    offset = newOffset;
    return open;
  }

  void close() {
    if (file != null) {
      file.close();
      file = null;
    }
  }

  private static int checksum(ByteBuffer content) {
    CRC32C crc = new CRC32C();
    crc.update(content.slice(0, Long.BYTES));
    return (int) crc.getValue();
  }
}
