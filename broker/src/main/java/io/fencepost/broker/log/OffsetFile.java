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
    return isIntact(content) ? ByteBuffer.wrap(content).getLong() : 0;
  }

  /** Whether the file, which exists, fits its checksum. */
  static boolean isIntact(Disk disk, String path) {
    return isIntact(disk.read(path));
  }

  private static boolean isIntact(byte[] content) {
    return content.length == 12
        && ByteBuffer.wrap(content).getInt(8) == checksum(content)
        && ByteBuffer.wrap(content).getLong() >= 0;
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
