package io.fencepost.broker.log;

import io.fencepost.broker.port.Content;
import io.fencepost.broker.port.Disk;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The producers' snapshots of one log, as files. What is in them is their owner's business. */
final class Snapshots {
  private final Disk disk;
  private final String directory;
  private final TreeSet<Long> offsets = new TreeSet<>();

  Snapshots(Disk disk, String directory, List<String> names) {
    this.disk = disk;
    this.directory = directory;
    for (String name : names) {
      long offset = SegmentNames.offset(name, SegmentNames.SNAPSHOT);
      if (offset >= 0) {
        offsets.add(offset);
      }
    }
  }

  @Nullable Snapshot atOrBefore(long offset) {
    Long found = offsets.floor(offset);
    return found == null ? null : new Snapshot(disk, path(found), found);
  }

  void write(long offset, Content content) {
    disk.replace(path(offset), content);
    offsets.add(offset);
  }

  void drop(long offset) {
    disk.delete(path(offset));
    offsets.remove(offset);
  }

  void dropAbove(long offset) {
    List.copyOf(offsets.tailSet(offset, false)).forEach(this::drop);
  }

  void dropBelow(long offset) {
    List.copyOf(offsets.headSet(offset)).forEach(this::drop);
  }

  void dropAll() {
    List.copyOf(offsets).forEach(this::drop);
  }

  /** Keeps the newest, and those that stand at the start of a segment. */
  void prune(List<Segment> segments) {
    if (offsets.size() < 2) {
      return;
    }
    TreeSet<Long> bases = new TreeSet<>();
    segments.forEach(segment -> bases.add(segment.baseOffset()));
    for (Long offset : List.copyOf(offsets.headSet(offsets.last()))) {
      if (!bases.contains(offset)) {
        drop(offset);
      }
    }
  }

  private String path(long offset) {
    return directory + "/" + SegmentNames.name(offset, SegmentNames.SNAPSHOT);
  }
}
