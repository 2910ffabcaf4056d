package io.fencepost.broker.log;

import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A partition's directory for those who only look, in use or damaged as it may be. Single-threaded.
 */
public final class LogView {
  private final Disk disk;
  private final String directory;
  private final TreeSet<Long> bases = new TreeSet<>();

  /**
   * @param directory relative to the disk, or empty for the disk's own
   */
  public LogView(Disk disk, String directory) {
    this.disk = disk;
    this.directory = directory.isEmpty() ? "." : directory;
    for (String name : disk.list(directory)) {
      long base = SegmentNames.offset(name, SegmentNames.LOG);
      if (base >= 0) {
        bases.add(base);
      }
    }
  }

  /** The segments, by base offset. */
  public List<Long> segments() {
    return List.copyOf(bases);
  }

  /** Walks a segment from its start. Throws {@link DiskException}. */
  public SegmentWalk walk(long baseOffset) {
    return new SegmentWalk(segment(baseOffset));
  }

  /** The segments that can hold offsets of the range, both inclusive. */
  public List<Long> segments(long fromOffset, long toOffset) {
    Long first = bases.floor(fromOffset);
    long from = first == null ? 0 : first;
    return from > toOffset ? List.of() : List.copyOf(bases.subSet(from, true, toOffset, true));
  }

  /** The producers' snapshot as of exactly this offset, or null. */
  public @Nullable Snapshot snapshot(long offset) {
    String path = directory + "/" + SegmentNames.name(offset, SegmentNames.SNAPSHOT);
    return disk.exists(path) ? new Snapshot(disk, path, offset) : null;
  }

  Segment segment(long baseOffset) {
    return new Segment(disk, directory, baseOffset, 0);
  }
}
