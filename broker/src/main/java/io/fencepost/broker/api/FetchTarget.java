package io.fencepost.broker.api;

import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.message.FetchRequest.FetchPartition;

/**
 * A partition that a reader wants, as it named it, and what a session remembers to have told it.
 * Belongs to one fetch at a time.
 */
final class FetchTarget {
  private static final long NOTHING_TOLD = -1;

  /** By name up to version 12, by id from 13 on; the other is empty. */
  record Key(String topic, Uuid topicId, int partition) {}

  private final Key key;
  private int currentLeaderEpoch;
  private long fetchOffset;
  private int maxBytes;
  private long toldHighWatermark = NOTHING_TOLD;
  private long toldLogStart = NOTHING_TOLD;

  FetchTarget(Key key, FetchPartition wish) {
    this.key = key;
    update(wish);
  }

  Key key() {
    return key;
  }

  int currentLeaderEpoch() {
    return currentLeaderEpoch;
  }

  long fetchOffset() {
    return fetchOffset;
  }

  int maxBytes() {
    return maxBytes;
  }

  void update(FetchPartition wish) {
    currentLeaderEpoch = wish.currentLeaderEpoch;
    fetchOffset = wish.fetchOffset;
    maxBytes = wish.partitionMaxBytes;
  }

  /** Whether these are news for the session; from now on they are not. */
  boolean tell(long highWatermark, long logStart) {
    boolean isNews = highWatermark != toldHighWatermark || logStart != toldLogStart;
    toldHighWatermark = highWatermark;
    toldLogStart = logStart;
    return isNews;
  }

  /** After an error everything is news again. */
  void forgetTold() {
    toldHighWatermark = NOTHING_TOLD;
    toldLogStart = NOTHING_TOLD;
  }
}
