package io.fencepost.broker.replica;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the leader of a partition knows of its followers during one term: how far each has come, who
 * is in sync, and so what is committed. Pure: told the time, changes nothing else.
 *
 * <p>A follower leaves the ISR when it has not been at the log's end for the lag time, and comes
 * back when it has everything that is committed and all of the earlier terms. While a change of the
 * ISR is on its way to the controller, both the old and the new members count for what is committed
 * (KIP-497), so that whoever the controller may elect has it all.
 */
final class IsrTracker {
  /** How far one follower has come. */
  private static final class Follower {
    private long brokerEpoch = -1;
    private long offset = -1;
    private long caughtUpNanos;
    private long lastFetchNanos;
    private long endAtLastFetch = Long.MAX_VALUE;
    private boolean isWaiting;
  }

  /**
   * A change that the leader wants.
   *
   * @param brokerEpochs of the members of the wanted ISR that are new, by id
   */
  record Change(List<Integer> expected, List<Integer> wanted, TreeMap<Integer, Long> brokerEpochs) {
    Change {
      expected = List.copyOf(expected);
      wanted = List.copyOf(wanted);
    }
  }

  private final int self;
  private final long termStart;
  private final TreeMap<Integer, Follower> followers = new TreeMap<>();
  private List<Integer> isr = List.of();
  private @Nullable Change pending;

  /**
   * @param termStart where the log ended at the election
   * @param nowNanos from when on the followers' lag counts
   */
  IsrTracker(int self, long termStart, Collection<Integer> replicas, long nowNanos) {
    this.self = self;
    this.termStart = termStart;
    onReplicas(replicas, nowNanos);
  }

  /** The replicas and the ISR as the controller has them; settles the change that was asked for. */
  void onState(List<Integer> replicas, List<Integer> newIsr, long nowNanos) {
    onReplicas(replicas, nowNanos);
    isr = List.copyOf(newIsr);
    pending = null;
  }

  private void onReplicas(Collection<Integer> replicas, long nowNanos) {
    followers.keySet().retainAll(replicas);
    for (int id : replicas) {
      if (id != self && !followers.containsKey(id)) {
        Follower fresh = new Follower();
        fresh.caughtUpNanos = nowNanos;
        followers.put(id, fresh);
      }
    }
  }

  /** Whether this broker keeps a replica. */
  boolean isFollower(int id) {
    return followers.containsKey(id);
  }

  int isrSize() {
    return isr.size();
  }

  int replicaCount() {
    return followers.size() + 1;
  }

  /** A follower asked for what is at this offset, so it has all below. */
  void onFetch(int id, long brokerEpoch, long offset, long logEnd, long nowNanos) {
    Follower follower = followers.get(id);
    if (follower == null) {
      return;
    }
    if (offset >= logEnd) {
      follower.caughtUpNanos = nowNanos;
    } else if (offset >= follower.endAtLastFetch) {
      follower.caughtUpNanos = Math.max(follower.caughtUpNanos, follower.lastFetchNanos);
    }
    follower.brokerEpoch = brokerEpoch;
    follower.offset = offset;
    follower.lastFetchNanos = nowNanos;
    follower.endAtLastFetch = logEnd;
  }

  /** Whether the follower now waits at the log's end for more: then it does not lag. */
  void onWaiting(int id, boolean isWaiting, long nowNanos) {
    Follower follower = followers.get(id);
    if (follower == null) {
      return;
    }
    if (follower.isWaiting) {
      follower.caughtUpNanos = nowNanos;
    }
    follower.isWaiting = isWaiting;
  }

  /** The end of what all who count have, given how far the leader itself is. */
  long committedEnd(long ownEnd) {
    long end = ownEnd;
    for (int id : isr) {
      end = Math.min(end, offsetOf(id, ownEnd));
    }
    if (pending != null) {
      for (int id : pending.wanted) {
        end = Math.min(end, offsetOf(id, ownEnd));
      }
    }
    return end;
  }

  private long offsetOf(int id, long ownEnd) {
    Follower follower = followers.get(id);
    return follower == null ? ownEnd : follower.offset;
  }

  /** The change that is due now, or null; it counts as asked for from this call on. */
  @Nullable Change dueChange(long highWatermark, long nowNanos, long lagNanos) {
    if (pending != null) {
      return null;
    }
    TreeSet<Integer> wanted = new TreeSet<>(isr);
    TreeMap<Integer, Long> brokerEpochs = new TreeMap<>();
    followers.forEach(
        (id, follower) -> {
          if (isr.contains(id)) {
            if (!follower.isWaiting && nowNanos - follower.caughtUpNanos > lagNanos) {
              wanted.remove(id);
            }
          } else if (follower.offset >= Math.max(highWatermark, termStart)
              && (follower.isWaiting || nowNanos - follower.caughtUpNanos <= lagNanos)) {
            wanted.add(id);
            brokerEpochs.put(id, follower.brokerEpoch);
          }
        });
    if (wanted.equals(new TreeSet<>(isr))) {
      return null;
    }
    pending = new Change(isr, new ArrayList<>(wanted), brokerEpochs);
    return pending;
  }

  /** The controller did not take the change: it may be asked for again. */
  void onRefused(Change change) {
    if (change.equals(pending)) {
      pending = null;
    }
  }
}
