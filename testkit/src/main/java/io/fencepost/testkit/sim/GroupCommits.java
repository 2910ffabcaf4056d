package io.fencepost.testkit.sim;

import io.fencepost.broker.port.Invariant;
import java.util.TreeMap;

/**
 * What the members of a group have committed. Offsets grow with time, whoever sends them, so that a
 * commit of somebody who had lost the partition shows: it hides a later one of somebody else.
 */
final class GroupCommits {
  private final TreeMap<Long, String> senders = new TreeMap<>();

  /** Partition to the highest offset that was acknowledged. */
  private final TreeMap<Integer, Long> acknowledged = new TreeMap<>();

  private long last;

  /** The next offset to commit. */
  long next(String member) {
    senders.put(++last, member);
    return last;
  }

  void acknowledged(int partition, long offset) {
    acknowledged.merge(partition, offset, Math::max);
  }

  int partitionCount() {
    return acknowledged.size();
  }

  /** P3, P9: this is what stands there in the end. */
  void check(int partition, long found) {
    Long newest = acknowledged.get(partition);
    if (newest == null || found >= newest) {
      return;
    }
    String sender = senders.getOrDefault(found, "nobody");
    String newestSender = senders.getOrDefault(newest, "nobody");
    Invariant.check(
        sender.equals(newestSender),
        "partition %d is at %d of %s, after %d of %s was acknowledged",
        partition,
        found,
        sender,
        newest,
        newestSender);
  }
}
