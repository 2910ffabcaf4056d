package io.fencepost.testkit.net;

import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.message.MetadataResponse;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What metadata that passed says of the cluster: topics by id, brokers by address. Thread-safe. */
final class ClusterNames {
  private final Map<Uuid, String> topics = new ConcurrentHashMap<>();
  private final Map<Endpoint, Integer> brokers = new ConcurrentHashMap<>();

  /** Takes in an answer with the brokers' real addresses. */
  void learn(MetadataResponse metadata) {
    metadata.topics.forEach(
        topic -> {
          if (topic.name != null && !topic.topicId.equals(Uuid.ZERO)) {
            topics.put(topic.topicId, topic.name);
          }
        });
    metadata.brokers.forEach(
        broker -> brokers.put(new Endpoint(broker.host, broker.port), broker.nodeId));
  }

  @Nullable String topic(Uuid id) {
    return topics.get(id);
  }

  /** The broker's id; 0 if metadata has not named it. */
  int broker(Endpoint address) {
    return brokers.getOrDefault(address, 0);
  }
}
