package io.fencepost.broker.core;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.check.Finding;
import io.fencepost.broker.check.Findings;
import io.fencepost.broker.log.LogView;
import io.fencepost.broker.log.SegmentWalk;
import io.fencepost.broker.port.Disk;
import java.nio.ByteBuffer;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Compares two replicas of a partition at rest, batch by batch: what two brokers have of one offset
 * and one leader epoch must be the same bytes, and neither may have holes that the other has not.
 * Where the epochs differ begins a tail that nobody was promised; it is cut at the next start.
 * Changes nothing.
 */
public final class ReplicaComparison {
  private final boolean isCompacted;
  private final Replica one;
  private final Replica other;

  /**
   * One replica.
   *
   * @param broker whose it is
   * @param directory of the partition, relative to the disk
   * @param findings hears what is wrong with its files
   */
  public record Place(int broker, Disk disk, String directory, Findings findings) {}

  private ReplicaComparison(Place one, Place other, boolean isCompacted) {
    this.one = new Replica(one);
    this.other = new Replica(other);
    this.isCompacted = isCompacted;
  }

  /**
   * Compares until the first difference.
   *
   * @param isCompacted batches may be gone or smaller on one side only
   */
  public static void run(Place one, Place other, boolean isCompacted) {
    ReplicaComparison comparison = new ReplicaComparison(one, other, isCompacted);
    try {
      comparison.run();
    } finally {
      comparison.one.close();
      comparison.other.close();
    }
  }

  private void run() {
    BatchView mine = one.next();
    BatchView its = other.next();
    boolean hasMet = false;
    while (mine != null && its != null) {
      if (mine.baseOffset() == its.baseOffset()) {
        hasMet = true;
        if (mine.leaderEpoch() != its.leaderEpoch()) {
          tail(mine, its);
          return;
        }
        if (!isSame(mine, its)) {
          differs(mine);
          return;
        }
        mine = one.next();
        its = other.next();
      } else {
        // In front of where they first meet one of them just begins later.
        boolean isHole = hasMet && !isCompacted;
        BatchView first = mine.baseOffset() < its.baseOffset() ? mine : its;
        if (isHole) {
          hole(first, first == mine ? other : one);
          return;
        }
        if (first == mine) {
          mine = one.next();
        } else {
          its = other.next();
        }
      }
    }
  }

  private boolean isSame(BatchView mine, BatchView its) {
    boolean mayDiffer =
        isCompacted
            && (mine.isControl()
                || mine.recordCount() != its.recordCount()
                || mine.sizeBytes() != its.sizeBytes());
    return mayDiffer || bytes(mine).equals(bytes(its));
  }

  private static ByteBuffer bytes(BatchView batch) {
    return batch.buffer().duplicate().clear().slice(batch.position(), batch.sizeBytes());
  }

  private void tail(BatchView mine, BatchView its) {
    boolean isMineOlder = mine.leaderEpoch() < its.leaderEpoch();
    Replica older = isMineOlder ? one : other;
    older
        .place
        .findings()
        .repairable(
            older.file(),
            older.position(),
            "from offset %d on it is of leader epoch %d, where broker %d has epoch %d: what was not committed there, and the next start cuts it"
                .formatted(
                    mine.baseOffset(),
                    Math.min(mine.leaderEpoch(), its.leaderEpoch()),
                    (isMineOlder ? other : one).place.broker(),
                    Math.max(mine.leaderEpoch(), its.leaderEpoch())));
  }

  private void differs(BatchView mine) {
    one.place
        .findings()
        .damage(
            one.file(),
            one.position(),
            "offset %d of leader epoch %d is not the same bytes as on broker %d"
                .formatted(mine.baseOffset(), mine.leaderEpoch(), other.place.broker()));
  }

  private void hole(BatchView present, Replica lacking) {
    lacking
        .place
        .findings()
        .damage(
            lacking.file(),
            lacking.position(),
            "offset %d is missing, broker %d has it"
                .formatted(present.baseOffset(), (lacking == one ? other : one).place.broker()));
  }

  /** The batches of one replica, in order. */
  private static final class Replica implements AutoCloseable {
    private final Place place;
    private final LogView log;
    private final Iterator<Long> segments;
    private @Nullable SegmentWalk walk;

    Replica(Place place) {
      this.place = place;
      this.log = new LogView(place.disk(), place.directory());
      this.segments = log.segments().iterator();
    }

    /** Null at the end, or at damage, which the check of the partition itself reports. */
    @Nullable BatchView next() {
      while (true) {
        SegmentWalk current = walk;
        if (current != null && current.next()) {
          return current.isDamage() ? null : current.whole();
        }
        close();
        if (!segments.hasNext()) {
          return null;
        }
        walk = log.walk(segments.next());
      }
    }

    String file() {
      SegmentWalk current = walk;
      return current == null ? place.directory() : current.path();
    }

    long position() {
      SegmentWalk current = walk;
      return current == null ? Finding.WHOLE : current.position();
    }

    @Override
    public void close() {
      SegmentWalk current = walk;
      walk = null;
      if (current != null) {
        current.close();
      }
    }
  }
}
