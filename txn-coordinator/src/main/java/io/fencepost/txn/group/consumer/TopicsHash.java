package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.Uuid;
import java.util.SortedSet;

/**
 * One number for what a set of topics looks like: another topic of a name, or another count of
 * partitions, gives another number. 0 for no topics.
 */
final class TopicsHash {
  private static final long PRIME = 0x100000001b3L;

  private TopicsHash() {}

  static long of(SortedSet<String> names, TopicsView topics) {
    long hash = 0;
    for (String name : names) {
      Uuid topicId = topics.idOf(name);
      if (topicId != null) {
        hash = mix(hash, topicId.high());
        hash = mix(hash, topicId.low());
        hash = mix(hash, topics.partitionsOf(topicId));
      }
    }
    return hash;
  }

  private static long mix(long hash, long value) {
    long mixed = (hash ^ value) * PRIME;
    return mixed ^ (mixed >>> 29);
  }
}
