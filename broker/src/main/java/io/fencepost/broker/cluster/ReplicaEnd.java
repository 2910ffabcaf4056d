package io.fencepost.broker.cluster;

import java.util.Comparator;

/**
 * How far a replica's log goes, as its broker found it when it started. Of two replicas that were
 * in sync the greater one has all that the other has; equal ones hold the same records.
 *
 * @param lastEpoch leader epoch of the last record; -1 if there is none
 * @param logEnd exclusive
 * @param isDamaged whether the start found that something was missing, and it is known to have been
 *     more
 */
public record ReplicaEnd(int lastEpoch, long logEnd, boolean isDamaged)
    implements Comparable<ReplicaEnd> {
  /** Of a replica that is not there. */
  static final ReplicaEnd NOTHING = new ReplicaEnd(-1, 0, true);

  private static final Comparator<ReplicaEnd> ORDER =
      Comparator.comparingInt(ReplicaEnd::lastEpoch).thenComparingLong(ReplicaEnd::logEnd);

  /** By what is there alone, so that the damaged and the whole replica may compare as equal. */
  @Override
  public int compareTo(ReplicaEnd other) {
    return ORDER.compare(this, other);
  }
}
