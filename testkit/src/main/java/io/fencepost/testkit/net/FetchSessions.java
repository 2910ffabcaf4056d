package io.fencepost.testkit.net;

import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.message.FetchRequest;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The partitions of fetch sessions (KIP-227): all but the first fetch of a session name only what
 * has changed. Thread-safe; the sessions that were not used for longest are forgotten.
 */
final class FetchSessions {
  private static final int SESSIONS_MAX = 1_000;

  private final Map<Key, Set<Asked>> sessions =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Set<Asked>> eldest) {
          return size() > SESSIONS_MAX;
        }
      };

  private record Key(Endpoint broker, int sessionId) {}

  private record Asked(String topic, Uuid topicId, int partition) {}

  /** A broker has opened a session for the partitions of that fetch. */
  synchronized void opened(Endpoint broker, int sessionId, FetchRequest first) {
    Set<Asked> asked = new LinkedHashSet<>();
    add(asked, first);
    sessions.put(new Key(broker, sessionId), asked);
  }

  /** The fetch with all partitions that it is about. */
  synchronized FetchRequest whole(Endpoint broker, FetchRequest fetch) {
    Set<Asked> asked = sessions.get(new Key(broker, fetch.sessionId));
    if (fetch.sessionEpoch <= 0 || asked == null) {
      return fetch;
    }
    fetch.forgottenTopicsData.forEach(
        topic ->
            topic.partitions.forEach(
                partition -> asked.remove(new Asked(topic.topic, topic.topicId, partition))));
    add(asked, fetch);
    return request(fetch.sessionId, asked);
  }

  private static void add(Set<Asked> asked, FetchRequest fetch) {
    fetch.topics.forEach(
        topic ->
            topic.partitions.forEach(
                partition ->
                    asked.add(new Asked(topic.topic, topic.topicId, partition.partition))));
  }

  private static FetchRequest request(int sessionId, Set<Asked> asked) {
    Map<String, FetchRequest.FetchTopic> topics = new LinkedHashMap<>();
    for (Asked each : asked) {
      FetchRequest.FetchTopic topic =
          topics.computeIfAbsent(each.topic + "/" + each.topicId, name -> topic(each));
      FetchRequest.FetchPartition partition = new FetchRequest.FetchPartition();
      partition.partition = each.partition;
      topic.partitions.add(partition);
    }
    FetchRequest request = new FetchRequest();
    request.sessionId = sessionId;
    request.topics.addAll(topics.values());
    return request;
  }

  private static FetchRequest.FetchTopic topic(Asked asked) {
    FetchRequest.FetchTopic topic = new FetchRequest.FetchTopic();
    topic.topic = asked.topic;
    topic.topicId = asked.topicId;
    return topic;
  }
}
