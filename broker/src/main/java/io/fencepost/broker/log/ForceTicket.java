package io.fencepost.broker.log;

import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One force of a log: taken under the partition's gate, run by any thread outside of it, handed
 * back under the gate. So appends go on while the disk works, and many share one force.
 */
public final class ForceTicket {
  private final Disk disk;
  private final String directory;
  private final List<Segment> sealed;
  private final Segment active;
  private final boolean names;
  final long endOffset;
  final long activeBaseOffset;
  final long truncations;
  final long namesChanged;
  final boolean indexesWritten;
  private @Nullable DiskException failure;
  private boolean done;

  ForceTicket(
      Disk disk, String directory, List<Segment> sealed, Segment active, Progress progress) {
    this.disk = disk;
    this.directory = directory;
    this.sealed = sealed;
    this.active = active;
    this.activeBaseOffset = active.baseOffset();
    this.names = progress.namesDirty;
    this.endOffset = progress.endOffset;
    this.truncations = progress.truncations;
    this.namesChanged = progress.namesChanged;
    this.indexesWritten = progress.indexesWritten;
  }

  /** Where the log stood when the ticket was taken. */
  record Progress(
      long endOffset,
      long truncations,
      long namesChanged,
      boolean namesDirty,
      boolean indexesWritten) {}

  /** Forces; a refusal is kept for {@link PartitionLog#completeForce}. */
  public void run() {
    try {
      for (Segment segment : sealed) {
        segment.force();
        segment.forceIndexes();
      }
      active.force();
      if (names) {
        disk.forceDirectory(directory);
      }
      done = true;
    } catch (DiskException refused) {
      failure = refused;
    }
  }

  /** Counts as refused, whatever the disk said. */
  public void fail(DiskException why) {
    failure = why;
  }

  List<Segment> sealed() {
    return sealed;
  }

  boolean isDone() {
    return done;
  }

  @Nullable DiskException failure() {
    return failure;
  }
}
