package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.batch.MalformedBatchException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Tells what becomes of each transactional batch while the log is walked front to back: looks ahead
 * for the marker that decides. Memory grows with the transactions that are open at one time, and up
 * to a bound with the markers in between; above the bound it looks ahead once per transaction.
 * Single-threaded.
 */
public final class TransactionFates {
  private static final int MARKERS_MAX = 1 << 16;

  private final LogView log;
  private final List<Long> segments;
  private final TreeMap<Long, Fate> open = new TreeMap<>();
  private final TreeMap<Long, ArrayDeque<Marker>> markers = new TreeMap<>();
  private int markerCount;
  private @Nullable SegmentWalk ahead;
  private int aheadIndex;
  private long aheadOffset = -1;

  /** What a batch is. */
  public enum State {
    /** Outside of transactions: it counts. */
    PLAIN,
    COMMITTED,
    ABORTED,
    /** No marker yet. */
    OPEN,
    /** Not a record of anybody's, but a marker. */
    CONTROL
  }

  /**
   * The transaction of a batch.
   *
   * @param firstOffset of its first record, or of the first that was shown; -1 outside
   * @param markerOffset -1 while there is none
   */
  public record Fate(State state, long firstOffset, long markerOffset) {
    static final Fate PLAIN = new Fate(State.PLAIN, -1, -1);
  }

  private record Marker(long offset, boolean commit) {}

  /**
   * @param log all of it is looked through for markers
   */
  public TransactionFates(LogView log) {
    this.log = log;
    this.segments = log.segments();
  }

  /** The producer's transaction began in front of what will be shown. */
  public void assumeOpen(long producerId, long firstOffset) {
    open.put(producerId, new Fate(State.OPEN, firstOffset, -2));
  }

  /** Judges the walk's current batch; all batches must be shown in order. */
  public Fate of(SegmentWalk walk) {
    BatchView batch = walk.view();
    long producerId = batch.producerId();
    if (batch.isControl()) {
      return control(batch.baseOffset(), producerId);
    }
    if (!batch.isTransactional()) {
      return Fate.PLAIN;
    }
    Fate known = open.get(producerId);
    if (known == null || known.markerOffset() == -2) {
      long first = known == null ? batch.baseOffset() : known.firstOffset();
      long position = walk.endPosition();
      known = decided(first, markerBehind(producerId, walk.baseOffset(), position, batch));
      open.put(producerId, known);
    }
    return known;
  }

  private Fate control(long offset, long producerId) {
    Fate ended = open.remove(producerId);
    ArrayDeque<Marker> own = markers.get(producerId);
    while (own != null && !own.isEmpty() && own.getFirst().offset() <= offset) {
      own.removeFirst();
      markerCount--;
    }
    if (own != null && own.isEmpty()) {
      markers.remove(producerId);
    }
    return new Fate(State.CONTROL, ended == null ? -1 : ended.firstOffset(), offset);
  }

  private static Fate decided(long firstOffset, @Nullable Marker marker) {
    if (marker == null) {
      return new Fate(State.OPEN, firstOffset, -1);
    }
    return new Fate(
        marker.commit() ? State.COMMITTED : State.ABORTED, firstOffset, marker.offset());
  }

  private @Nullable Marker markerBehind(
      long producerId, long segmentBase, long position, BatchView batch) {
    ArrayDeque<Marker> own = markers.get(producerId);
    if (own != null) {
      return own.getFirst();
    }
    long offset = batch.baseOffset();
    if (aheadOffset < offset) {
      moveTo(segmentBase, position, offset);
    }
    while (markerCount < MARKERS_MAX) {
      SegmentWalk walk = nextStep();
      if (walk == null) {
        return null;
      }
      Marker found = marker(walk);
      if (found != null) {
        long by = walk.view().producerId();
        markers.computeIfAbsent(by, id -> new ArrayDeque<>()).add(found);
        markerCount++;
        if (by == producerId) {
          return found;
        }
      }
    }
    return farMarker(producerId);
  }

  private void moveTo(long segmentBase, long position, long offset) {
    close();
    markers.clear();
    markerCount = 0;
    aheadIndex = segments.indexOf(segmentBase);
    ahead = log.walk(segmentBase).at(position);
    aheadOffset = offset;
  }

  /** The look-ahead one step on, or null at the end of the log. */
  private @Nullable SegmentWalk nextStep() {
    SegmentWalk walk = ahead;
    while (walk != null) {
      if (walk.next()) {
        if (!walk.isDamage()) {
          aheadOffset = walk.view().lastOffset();
        }
        return walk;
      }
      walk.close();
      aheadIndex++;
      walk = aheadIndex < segments.size() ? log.walk(segments.get(aheadIndex)) : null;
      ahead = walk;
    }
    aheadOffset = Long.MAX_VALUE;
    return null;
  }

  /** Looks on from the look-ahead without keeping anything. */
  private @Nullable Marker farMarker(long producerId) {
    SegmentWalk from = ahead;
    if (from == null) {
      return null;
    }
    for (int i = aheadIndex; i < segments.size(); i++) {
      SegmentWalk walk = log.walk(segments.get(i));
      try {
        if (i == aheadIndex) {
          walk.at(from.endPosition());
        }
        while (walk.next()) {
          Marker found = marker(walk);
          if (found != null && walk.view().producerId() == producerId) {
            return found;
          }
        }
      } finally {
        walk.close();
      }
    }
    return null;
  }

  private static @Nullable Marker marker(SegmentWalk walk) {
    if (walk.isDamage() || !walk.view().isControl()) {
      return null;
    }
    try {
      ControlMarker marker = ControlMarker.of(walk.whole());
      return marker == null ? null : new Marker(walk.view().baseOffset(), marker.commit());
    } catch (MalformedBatchException damaged) {
      return null;
    }
  }

  public void close() {
    if (ahead != null) {
      ahead.close();
      ahead = null;
    }
  }
}
