package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How the broker's own topics are made, by its settings. */
final class InternalTopics {
  private InternalTopics() {}

  /**
   * @param brokerCount the brokers of the cluster: a topic has no more replicas than that
   */
  static NewTopic wanted(String name, BrokerConfig config, int brokerCount) {
    boolean offsets = name.equals(TopicNames.OFFSETS);
    String prefix = offsets ? "offsets.topic." : "transaction.state.log.";
    TreeMap<String, @Nullable String> configs = new TreeMap<>();
    configs.put("cleanup.policy", "compact");
    String segmentBytes = config.text(prefix + "segment.bytes");
    boolean small = Long.parseLong(segmentBytes.trim()) < 1 << 20;
    configs.put(small ? "internal.segment.bytes" : "segment.bytes", segmentBytes);
    if (!offsets) {
      configs.put("min.insync.replicas", config.text("transaction.state.log.min.isr"));
    }
    return new NewTopic(
        name,
        config.intOf(prefix + "num.partitions"),
        Math.min(config.intOf(prefix + "replication.factor"), brokerCount),
        new TreeMap<>(),
        configs);
  }
}
