package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchCheck;
import io.fencepost.broker.batch.BatchRewriter;
import io.fencepost.broker.batch.BatchView;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One run of compaction over one log, in small steps: notes the newest offset of each key, then
 * copies what is left of old segments into new ones. {@link #step} needs no lock, as sealed
 * segments do not change; whenever it answers false, {@link PartitionLog#settle} must follow under
 * the gate.
 *
 * <pre>
 * SCAN → OPEN → COPY → SWAP → OPEN → … → FINISH → DONE
 * settle:  OPEN creates the next new segment, SWAP puts it in place of the old ones,
 *          FINISH remembers how far the log is compacted
 * </pre>
 *
 * <p>Small neighbours become one segment. The last offset of each new segment is told by a batch,
 * if need be an empty one, so that recovery sees no hole between two segments. Nothing is taken
 * away until what replaces it is on disk. Single-threaded but for {@link PartitionLog}'s part.
 */
public final class Compaction {
  private static final int STEP_BYTES = 1 << 20;
  private static final int WRITE_BYTES = 1 << 18;

  /** What has to happen next. */
  enum Phase {
    SCAN,
    OPEN,
    COPY,
    SWAP,
    FINISH,
    DONE
  }

  private final List<Segment> sources;
  private final List<AbortedTxn> aborted;
  private final CompactionRequest request;
  private final LogConfig config;
  private final BatchCursor cursor = new BatchCursor().wide();
  private final BatchView view = new BatchView();
  private final KeyScan scan;
  private final List<List<Segment>> groups = new ArrayList<>();

  private Phase phase = Phase.SCAN;
  private int sourceIndex;
  private boolean isInside;
  private @Nullable BatchSieve sieve;
  private int groupIndex;
  private @Nullable Segment target;
  private ByteBuffer out = ByteBuffer.allocate(0);
  private boolean isChanged;

  /** In place of the batch that was dropped just now; written if the segment ends here. */
  private @Nullable ByteBuffer filler;

  /** Whether that batch was such a filler itself. */
  private boolean isFillerOld;

  private long bytesBefore;
  private long bytesAfter;

  /**
   * @param sources the sealed segments from the log's first one on that may be compacted
   * @param aborted the transactions that overlap them
   * @param fromOffset up to where earlier runs came
   */
  Compaction(
      List<Segment> sources,
      List<AbortedTxn> aborted,
      CompactionRequest request,
      LogConfig config,
      long fromOffset) {
    this.sources = sources;
    this.aborted = aborted;
    this.request = request;
    this.config = config;
    this.scan = new KeyScan(new AbortedSpans(aborted), request, fromOffset);
    while (sourceIndex < sources.size() && sources.get(sourceIndex).nextOffset() <= fromOffset) {
      sourceIndex++;
    }
  }

  Phase phase() {
    return phase;
  }

  public boolean isDone() {
    return phase == Phase.DONE;
  }

  /** Bytes of the segments that were looked at. */
  public long bytesBefore() {
    return bytesBefore;
  }

  /** Bytes of what took their place. */
  public long bytesAfter() {
    return bytesAfter;
  }

  /** Up to where the keys were compared; once it is done the log is compacted below it. */
  long endOffset() {
    return scan.endOffset();
  }

  /** Reads or copies about a MiB. False if the log has to {@linkplain PartitionLog#settle act}. */
  public boolean step() {
    switch (phase) {
      case SCAN -> scan();
      case COPY -> copy();
      case OPEN, SWAP, FINISH, DONE -> {
        return false;
      }
    }
    return phase == Phase.SCAN || phase == Phase.COPY;
  }

  private void scan() {
    int budget = STEP_BYTES;
    while (budget > 0 && sourceIndex < sources.size()) {
      Segment source = sources.get(sourceIndex);
      if (!isInside) {
        cursor.at(source, 0, source.log().sizeBytes());
        isInside = true;
      }
      if (!nextBatch(source)) {
        isInside = false;
        sourceIndex++;
      } else {
        budget -= cursor.view().sizeBytes();
        if (!scan.note(cursor.whole())) {
          plan();
          return;
        }
      }
    }
    if (sourceIndex == sources.size()) {
      plan();
    }
  }

  private boolean nextBatch(Segment source) {
    BatchCheck.Verdict verdict = cursor.advanceChecked();
    if (verdict == BatchCheck.Verdict.GOOD) {
      return true;
    }
    if (verdict == null) {
      return false;
    }
    boolean hasHeader = verdict == BatchCheck.Verdict.BAD_CRC;
    throw new DamagedLogException(
        "segment %s is damaged at byte %d, %s offset %d: %s"
            .formatted(
                source.logPath(),
                hasHeader ? cursor.position() : cursor.nextPosition(),
                hasHeader ? "at" : "at or behind",
                hasHeader ? cursor.view().baseOffset() : source.baseOffset(),
                verdict.sentence()));
  }

  /** Neighbours that fit into one segment together. */
  private void plan() {
    List<Segment> group = new ArrayList<>();
    long bytes = 0;
    for (Segment source : sources) {
      if (source.baseOffset() >= scan.endOffset()) {
        break;
      }
      boolean fits =
          !group.isEmpty()
              && bytes + source.sizeBytes() <= config.segmentBytes()
              && group.get(0).canHold(source.nextOffset() - 1);
      if (!fits) {
        group = new ArrayList<>();
        groups.add(group);
        bytes = 0;
      }
      group.add(source);
      bytes += source.sizeBytes();
    }
    sieve = new BatchSieve(request.newest(), new AbortedSpans(aborted), request, endOffset());
    phase = groups.isEmpty() ? Phase.FINISH : Phase.OPEN;
  }

  /** The old segments of the group at hand. */
  List<Segment> group() {
    return groups.get(groupIndex);
  }

  /** The new one that is to replace them. */
  Segment target() {
    Segment open = target;
    if (open == null) {
      throw new IllegalStateException("no segment is being written in phase " + phase);
    }
    return open;
  }

  /** The log has created an empty segment for the group. */
  void onOpened(Segment segment) {
    target = segment;
    sourceIndex = 0;
    isInside = false;
    isChanged = group().size() > 1;
    filler = null;
    out = ByteBuffer.allocate(WRITE_BYTES);
    phase = Phase.COPY;
  }

  private void copy() {
    int budget = STEP_BYTES;
    while (budget > 0 && sourceIndex < group().size()) {
      Segment source = group().get(sourceIndex);
      if (!isInside) {
        cursor.at(source, 0, source.log().sizeBytes());
        isInside = true;
      }
      if (!nextBatch(source)) {
        isInside = false;
        sourceIndex++;
        bytesBefore += source.sizeBytes();
      } else {
        budget -= cursor.view().sizeBytes();
        sift(cursor.whole());
      }
    }
    if (sourceIndex == group().size()) {
      endGroup();
    }
  }

  private void sift(BatchView batch) {
    BatchSieve decide = sieve;
    if (decide == null) {
      throw new IllegalStateException("a copy before the scan has ended");
    }
    ByteBuffer left = decide.sift(batch);
    isChanged |= filler != null;
    if (left == null) {
      filler = BatchRewriter.filler(batch);
      isFillerOld = batch.recordCount() == 0 && !batch.hasProducerId();
    } else {
      isChanged |= !decide.isUntouched();
      filler = null;
      put(left);
    }
  }

  private void put(ByteBuffer batch) {
    if (batch.remaining() > out.remaining()) {
      write();
    }
    if (batch.remaining() > out.capacity()) {
      target().append(batch, view, config.indexIntervalBytes());
    } else {
      out.put(batch);
    }
  }

  private void write() {
    out.flip();
    if (out.hasRemaining()) {
      target().append(out, view, config.indexIntervalBytes());
    }
    out.clear();
  }

  private void endGroup() {
    ByteBuffer ending = filler;
    if (ending != null) {
      isChanged |= !isFillerOld;
      put(ending);
    }
    write();
    out = ByteBuffer.allocate(0);
    if (isChanged) {
      target().seal();
      target().force();
      target().forceIndexes();
    }
    phase = Phase.SWAP;
  }

  /** Whether the new segment differs from the old ones at all. */
  boolean isChanged() {
    return isChanged;
  }

  /** The log has put the new segment in place, or thrown it away because it says the same. */
  void onSwapped() {
    bytesAfter += target().sizeBytes();
    target = null;
    groupIndex++;
    phase = groupIndex == groups.size() ? Phase.FINISH : Phase.OPEN;
  }

  void onFinished() {
    phase = Phase.DONE;
    request.newest().clear();
  }

  /** Closes what is open; the log removes the files. */
  void abandon() {
    phase = Phase.DONE;
    request.newest().clear();
    Segment open = target;
    if (open != null) {
      open.close();
      target = null;
    }
  }

  /** The name of the new segment's files, if there is one. */
  @Nullable Segment unfinished() {
    return target;
  }
}
