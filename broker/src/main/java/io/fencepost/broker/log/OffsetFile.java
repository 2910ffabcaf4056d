package io.fencepost.broker.log;

import io.fencepost.broker.port.Disk;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A durable offset in a file of its own: where a log starts, or up to where it was compacted.
 * Absent until it was moved.
 */
final class OffsetFile {
  private OffsetFile() {}

  /** 0 if the file is absent or damaged: then the log itself must tell. */
  static long load(Disk disk, String path) {
    if (!disk.exists(path)) {
      return 0;
    }
    byte[] content = disk.read(path);
    ByteBuffer in = ByteBuffer.wrap(content);
    if (content.length != 12 || in.getInt(8) != checksum(content)) {
      return 0;
    }
    return Math.max(0, in.getLong());
  }

  static void save(Disk disk, String path, long offset) {
    ByteBuffer out = ByteBuffer.allocate(12).putLong(offset);
    out.putInt(checksum(out.array()));
    disk.replace(path, out.array());
  }

  private static int checksum(byte[] content) {
    CRC32C crc = new CRC32C();
    crc.update(content, 0, 8);
    return (int) crc.getValue();
  }
}
