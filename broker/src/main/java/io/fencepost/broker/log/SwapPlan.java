package io.fencepost.broker.log;

import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * That one new segment, complete and on disk under {@code .cleaned} names, takes the place of old
 * ones. Written as a small checksummed file in the log's directory, this is what decides: before it
 * the old segments count, from then on the new one, and every open of the log carries it out.
 *
 * @param oldBases the first of them is the new segment's base offset too
 * @param logBytes size of the new segment's file
 */
record SwapPlan(List<Long> oldBases, long logBytes) {
  private static final int VERSION = 1;
  private static final int FIXED_BYTES = 20;
  private static final List<String> SUFFIXES =
      List.of(
          SegmentNames.LOG, SegmentNames.INDEX, SegmentNames.TIME_INDEX, SegmentNames.TXN_INDEX);

  long newBase() {
    return oldBases.get(0);
  }

  /** Null if there is none, or one that never became whole. */
  static @Nullable SwapPlan load(Disk disk, String directory) {
    String path = directory + "/" + SegmentNames.SWAP;
    return disk.exists(path) ? parse(disk.read(path)) : null;
  }

  private static @Nullable SwapPlan parse(byte[] content) {
    if (content.length < FIXED_BYTES + Long.BYTES) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(content);
    int checksumAt = content.length - 4;
    if (in.getInt(checksumAt) != checksum(content, checksumAt) || in.getInt() != VERSION) {
      return null;
    }
    long logBytes = in.getLong();
    int count = in.getInt();
    if (count < 1 || in.remaining() != count * (long) Long.BYTES + 4) {
      return null;
    }
    List<Long> bases = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      bases.add(in.getLong());
    }
    return new SwapPlan(bases, logBytes);
  }

  /** From the return on the new segment counts. */
  void save(Disk disk, String directory) {
    ByteBuffer out = ByteBuffer.allocate(FIXED_BYTES + Long.BYTES * oldBases.size());
    out.putInt(VERSION).putLong(logBytes).putInt(oldBases.size());
    oldBases.forEach(out::putLong);
    out.putInt(checksum(out.array(), out.position()));
    disk.replace(directory + "/" + SegmentNames.SWAP, out.array());
  }

  /**
   * Exchanges the names; may be repeated after a crash at any point, and ends with durable ones.
   */
  void carryOut(Disk disk, String directory) {
    for (long base : oldBases.subList(1, oldBases.size())) {
      SUFFIXES.forEach(suffix -> disk.delete(path(directory, base, suffix)));
    }
    String cleanedLog = path(directory, newBase(), SegmentNames.LOG) + SegmentNames.CLEANED;
    if (disk.exists(cleanedLog) && sizeOf(disk, cleanedLog) != logBytes) {
      throw new DiskException(
          "%s should have %d bytes and does not: the log in %s cannot be opened; restore the file"
              .formatted(disk.absolutePath(cleanedLog), logBytes, disk.absolutePath(directory)));
    }
    // The aborted index of the old segment goes: the new one has no aborted records.
    disk.delete(path(directory, newBase(), SegmentNames.TXN_INDEX));
    for (String suffix : SUFFIXES) {
      String name = path(directory, newBase(), suffix);
      if (disk.exists(name + SegmentNames.CLEANED)) {
        disk.delete(name);
        disk.rename(name + SegmentNames.CLEANED, name);
      }
    }
    disk.forceDirectory(directory);
  }

  /** Forgets the plan, durably: it must not come back once there is a newer segment. */
  static void remove(Disk disk, String directory) {
    disk.delete(directory + "/" + SegmentNames.SWAP);
    disk.forceDirectory(directory);
  }

  private static long sizeOf(Disk disk, String path) {
    try (var file = disk.open(path)) {
      return file.sizeBytes();
    }
  }

  private static String path(String directory, long base, String suffix) {
    return directory + "/" + SegmentNames.name(base, suffix);
  }

  private static int checksum(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
