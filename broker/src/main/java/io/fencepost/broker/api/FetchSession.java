package io.fencepost.broker.api;

import io.fencepost.broker.wire.message.FetchRequest;
import io.fencepost.broker.wire.message.FetchRequest.FetchPartition;
import io.fencepost.broker.wire.message.FetchRequest.FetchTopic;
import io.fencepost.broker.wire.message.FetchRequest.ForgottenTopic;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one reader wants to read, remembered from fetch to fetch (KIP-227). Only {@link
 * FetchSessions} touches it, under its lock; the targets are lent to the fetch in progress, of
 * which the epoch lets in one at a time.
 */
final class FetchSession {
  /** The first request of a session; also: ask for a new one. */
  static final int INITIAL_EPOCH = 0;

  private static final int LONG_NAME = 64;

  /** Without a session, and: close it. */
  static final int FINAL_EPOCH = -1;

  private final int id;
  private final boolean usesTopicIds;
  private final Map<FetchTarget.Key, FetchTarget> targets = new LinkedHashMap<>();
  private int nextEpoch = INITIAL_EPOCH + 1;
  private long lastUsedNanos;
  private int weight;

  FetchSession(int id, boolean usesTopicIds, long nowNanos) {
    this.id = id;
    this.usesTopicIds = usesTopicIds;
    this.lastUsedNanos = nowNanos;
  }

  int id() {
    return id;
  }

  boolean usesTopicIds() {
    return usesTopicIds;
  }

  int nextEpoch() {
    return nextEpoch;
  }

  long lastUsedNanos() {
    return lastUsedNanos;
  }

  /** What it costs to remember: 1 for each partition, more if its topic has a long name. */
  int weight() {
    return weight;
  }

  private static int weight(FetchTarget.Key key) {
    return 1 + key.topic().length() / LONG_NAME;
  }

  /** In the order in which they are to be read. */
  List<FetchTarget> targets() {
    return new ArrayList<>(targets.values());
  }

  /** Adds, changes and forgets what the request says. */
  void update(FetchRequest request) {
    for (FetchTopic topic : request.topics) {
      for (FetchPartition wish : topic.partitions) {
        FetchTarget.Key key = new FetchTarget.Key(topic.topic, topic.topicId, wish.partition);
        FetchTarget target = targets.get(key);
        if (target == null) {
          targets.put(key, new FetchTarget(key, wish));
          weight += weight(key);
        } else {
          target.update(wish);
        }
      }
    }
    for (ForgottenTopic topic : request.forgottenTopicsData) {
      for (int partition : topic.partitions) {
        FetchTarget.Key key = new FetchTarget.Key(topic.topic, topic.topicId, partition);
        if (targets.remove(key) != null) {
          weight -= weight(key);
        }
      }
    }
  }

  void advance(long nowNanos) {
    nextEpoch = nextEpoch == Integer.MAX_VALUE ? INITIAL_EPOCH + 1 : nextEpoch + 1;
    lastUsedNanos = nowNanos;
  }

  /** Its turn is over: the others are read first next time, so that none starves. */
  void moveToEnd(FetchTarget target) {
    if (targets.remove(target.key(), target)) {
      targets.put(target.key(), target);
    }
  }
}
