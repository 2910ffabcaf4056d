package io.fencepost.broker.log;

import io.fencepost.broker.port.Disk;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What was known to be durable when this was written: all of the log and of its indexes below the
 * offset. Small, checksummed, replaced as a whole.
 *
 * @param offset below it nothing need be scanned
 * @param stopped the active segment's files at a clean stop, where the offset is the log's end; if
 *     they still look like this, nothing was appended since
 * @param abortedCounts base offset of a segment → markers below the offset in its aborted index
 */
record RecoveryPoint(
    long offset, @Nullable StoppedAt stopped, TreeMap<Long, Integer> abortedCounts) {
  private static final int VERSION = 1;
  private static final int FIXED_BYTES = 60;

  /** The files of the active segment at a clean stop. */
  record StoppedAt(
      long baseOffset, long logBytes, long indexBytes, long timeIndexBytes, long txnIndexBytes) {}

  static @Nullable RecoveryPoint load(Disk disk, String path) {
    return disk.exists(path) ? parse(disk.read(path)) : null;
  }

  void save(Disk disk, String path) {
    ByteBuffer out = ByteBuffer.allocate(FIXED_BYTES + 12 * abortedCounts.size() + 4);
    StoppedAt at = stopped == null ? new StoppedAt(-1, 0, 0, 0, 0) : stopped;
    out.putInt(VERSION).putLong(offset).putLong(at.baseOffset).putLong(at.logBytes);
    out.putLong(at.indexBytes).putLong(at.timeIndexBytes).putLong(at.txnIndexBytes);
    out.putInt(abortedCounts.size()).putInt(0);
    abortedCounts.forEach((base, count) -> out.putLong(base).putInt(count));
    out.putInt(checksum(out.array(), out.position()));
    disk.replace(path, out.array());
  }

  private static @Nullable RecoveryPoint parse(byte[] content) {
    if (content.length < FIXED_BYTES + 4) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(content);
    if (in.getInt(content.length - 4) != checksum(content, content.length - 4)
        || in.getInt() != VERSION) {
      return null;
    }
    long offset = in.getLong();
    StoppedAt at =
        new StoppedAt(in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong());
    int count = in.getInt();
    in.getInt();
    if (offset < 0 || count < 0 || in.remaining() != 12L * count + 4) {
      return null;
    }
    TreeMap<Long, Integer> counts = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      counts.put(in.getLong(), in.getInt());
    }
    return new RecoveryPoint(offset, at.baseOffset < 0 ? null : at, counts);
  }

  /** Markers of aborted transactions below the offset, by segment. */
  static TreeMap<Long, Integer> countAborted(List<Segment> segments, long belowOffset) {
    TreeMap<Long, Integer> counts = new TreeMap<>();
    for (Segment segment : segments) {
      int count = segment.aborted().firstAtOrAbove(belowOffset);
      if (count > 0) {
        counts.put(segment.baseOffset(), count);
      }
    }
    return counts;
  }

  int abortedCount(long baseOffset) {
    Map.Entry<Long, Integer> entry = abortedCounts.floorEntry(baseOffset);
    return entry == null || entry.getKey() != baseOffset ? 0 : entry.getValue();
  }

  private static int checksum(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
