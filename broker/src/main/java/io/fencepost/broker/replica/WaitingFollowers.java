package io.fencepost.broker.replica;

import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Followers that have all there is and wait at their leader for more: records, a greater high
 * watermark, or a later start of the log. Under the same lock as the partition.
 */
final class WaitingFollowers {
  /** One that waits, with where its answer goes. */
  record Waiting(FollowerFetch fetch, Peers.Reply<FollowerAnswer> reply) {}

  private final TreeMap<Integer, Waiting> byId = new TreeMap<>();
  private Consumer<Waiting> serve = waiting -> {};

  /** Who answers, outside of the lock, when there is news. */
  void serveBy(Consumer<Waiting> server) {
    serve = server;
  }

  /** The newest question of a follower is the one that counts. */
  void add(Waiting waiting) {
    byId.put(waiting.fetch().followerId(), waiting);
  }

  /** Forgets it, if it is still the one that waits; returns whether it was. */
  boolean remove(Waiting waiting) {
    return byId.remove(waiting.fetch().followerId(), waiting);
  }

  /** Wakes those for whom there is news. */
  void onMoved(Partition partition, Effects effects) {
    if (byId.isEmpty()) {
      return;
    }
    List<Waiting> served = new ArrayList<>(byId.size());
    for (Waiting waiting : byId.values()) {
      if (hasNews(partition, waiting.fetch())) {
        served.add(waiting);
      }
    }
    for (Waiting waiting : served) {
      byId.remove(waiting.fetch().followerId());
      effects.add(() -> serve.accept(waiting));
    }
  }

  static boolean hasNews(Partition partition, FollowerFetch fetch) {
    return partition.log().endOffset() > fetch.offset()
        || partition.highWatermark() > fetch.knownHighWatermark()
        || partition.log().startOffset() > fetch.knownLogStart();
  }

  /** Lets one that waits ask anew, as what it said of itself is out of date. */
  void askAnew(int follower, Effects effects) {
    Waiting waiting = byId.remove(follower);
    if (waiting != null) {
      FollowerAnswer stale = FollowerAnswer.refused(WireError.STALE_BROKER_EPOCH);
      effects.add(() -> waiting.reply().send(stale));
    }
  }

  void refuseAll(WireError error, Effects effects) {
    byId.values()
        .forEach(waiting -> effects.add(() -> waiting.reply().send(FollowerAnswer.refused(error))));
    byId.clear();
  }
}
