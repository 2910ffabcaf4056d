package io.fencepost.broker.log;

import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Invariant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What of a log is known to be on disk, and what the next force must cover: the active segment,
 * sealed ones that were not forced since, and the directory if names changed. Keeps the recovery
 * point: raised when all segments below the active one are durable, lowered before a truncation.
 */
final class Durability {
  private final Disk disk;
  private final String directory;
  private final String recoveryPointPath;
  private final List<Segment> segments;
  private final List<Segment> unforced;
  private final DurableMark mark;
  private @Nullable ForceTicket outstanding;
  private long endOffset;
  private long recoveryPoint;
  private long truncations;
  private long namesChanged;
  private long namesForced;

  Durability(Disk disk, String directory, LogRecovery.Opened opened) {
    this.disk = disk;
    this.directory = directory;
    this.recoveryPointPath = directory + "/" + SegmentNames.RECOVERY_POINT;
    this.segments = opened.segments();
    this.unforced = opened.unforced();
    this.mark = opened.mark();
    this.endOffset = segments.get(segments.size() - 1).nextOffset();
    this.recoveryPoint = opened.recoveryPoint();
    this.namesChanged = opened.namesForced() ? 0 : 1;
  }

  /** Everything below survives a power failure. */
  long endOffset() {
    return endOffset;
  }

  /** Everything below is on disk in sealed segments, and their indexes with it. */
  long recoveryPoint() {
    return recoveryPoint;
  }

  /**
   * Before a second segment: if only that one outlived a power failure, nobody could tell that a
   * first one is missing, and the snapshot in front of the second would vouch for what is lost.
   */
  void beforeRoll() {
    if (namesForced == 0 && namesChanged == 1) {
      disk.forceDirectory(directory);
      namesForced = 1;
    }
  }

  void onRoll(Segment sealed) {
    unforced.add(sealed);
    namesChanged++;
  }

  void onRemove(Segment removed) {
    unforced.remove(removed);
    namesChanged++;
  }

  /** Its successor is on disk, names and all. */
  void onReplaced(Segment removed) {
    unforced.remove(removed);
  }

  /** After the aborted indexes of segments below it have changed. */
  void rewriteRecoveryPoint() {
    if (recoveryPoint > 0) {
      save(
          new RecoveryPoint(
              recoveryPoint, null, RecoveryPoint.countAborted(segments, recoveryPoint)));
    }
  }

  void onTruncate(Segment active, long newEndOffset) {
    truncations++;
    unforced.remove(active);
    endOffset = Math.min(endOffset, newEndOffset);
  }

  void onReset(long offset) {
    truncations++;
    unforced.clear();
    namesChanged++;
    endOffset = offset;
  }

  ForceTicket begin(Segment active, long logEndOffset) {
    Invariant.check(
        outstanding == null, "second force of the log that ends at %d (%d)", logEndOffset, 0);
    ForceTicket ticket =
        new ForceTicket(
            disk,
            directory,
            List.copyOf(unforced),
            active,
            new ForceTicket.Progress(
                logEndOffset,
                truncations,
                namesChanged,
                namesChanged != namesForced,
                indexesAreWritten()));
    outstanding = ticket;
    return ticket;
  }

  /** A replay after recovery may have added markers to sealed segments. */
  private boolean indexesAreWritten() {
    try {
      unforced.forEach(segment -> segment.aborted().flush());
      return true;
    } catch (DiskException full) {
      // The force itself needs no space and goes on; only the recovery point stays where it is.
      return false;
    }
  }

  /** Only for a ticket whose force succeeded. */
  long complete(ForceTicket ticket) {
    Invariant.check(ticket.isDone(), "force to %d was never run (%d)", ticket.endOffset, endOffset);
    outstanding = null;
    namesForced = ticket.namesChanged;
    // A truncation in between: what the ticket forced may be gone, the next one will tell.
    if (ticket.truncations == truncations) {
      endOffset = Math.max(endOffset, ticket.endOffset);
      mark.raise(endOffset);
      if (!ticket.sealed().isEmpty() && ticket.indexesWritten) {
        unforced.removeAll(ticket.sealed());
        raiseRecoveryPoint(ticket.activeBaseOffset);
      }
    }
    return endOffset;
  }

  private void raiseRecoveryPoint(long offset) {
    try {
      save(new RecoveryPoint(offset, null, RecoveryPoint.countAborted(segments, offset)));
    } catch (DiskException full) {
      // The old recovery point still holds; recovery would only read more than it must.
      return;
    }
  }

  /** Durable before anything at or above the offset is removed or written anew. */
  void lowerRecoveryPoint(long offset) {
    mark.lower(offset);
    if (offset < recoveryPoint) {
      save(new RecoveryPoint(offset, null, RecoveryPoint.countAborted(segments, offset)));
    }
  }

  void close() {
    mark.close();
  }

  /** All is forced and nothing will be appended any more. */
  void markClean(Segment active) {
    RecoveryPoint.StoppedAt stopped =
        new RecoveryPoint.StoppedAt(
            active.baseOffset(),
            active.log().sizeBytes(),
            active.offsets().file().fileBytes(),
            active.times().file().fileBytes(),
            active.aborted().file().fileBytes());
    save(new RecoveryPoint(endOffset, stopped, RecoveryPoint.countAborted(segments, endOffset)));
  }

  private void save(RecoveryPoint point) {
    point.save(disk, recoveryPointPath);
    recoveryPoint = point.offset();
  }
}
