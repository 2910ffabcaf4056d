package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.config.ConfigKey;
import io.fencepost.broker.port.Invariant;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** The settings in force for one topic: its own, else the broker's, else the default. Immutable. */
public final class TopicConfig {
  private static final String FLUSH = "flush";

  /** The default where other brokers have what one of them loses. */
  private static final String REPLICATED_FLUSH = "os";

  private final SortedMap<String, String> own;
  private final BrokerConfig broker;
  private final int replicaCount;

  private TopicConfig(SortedMap<String, String> own, BrokerConfig broker, int replicaCount) {
    this.own = own;
    this.broker = broker;
    this.replicaCount = replicaCount;
  }

  public static TopicConfig of(TopicState topic, BrokerConfig broker) {
    int replicaCount =
        topic.partitions().isEmpty() ? 1 : topic.partitions().get(0).replicas().size();
    return new TopicConfig(topic.configs(), broker, replicaCount);
  }

  /** The value in force; null if there is none. */
  public @Nullable String find(String name) {
    Invariant.check(TopicConfigs.TABLE.find(name) != null, "no topic setting is called %s", name);
    String value = own.get(name);
    boolean isCopied = value == null && name.equals(FLUSH) && replicaCount > 1;
    if (isCopied && !broker.explicit().containsKey(FLUSH)) {
      return REPLICATED_FLUSH;
    }
    return value != null ? value : TopicConfigs.brokerDefault(name, broker);
  }

  public String text(String name) {
    String value = find(name);
    if (value == null) {
      throw new IllegalStateException("The topic setting " + name + " has no value and no default");
    }
    return value.trim();
  }

  public int intOf(String name) {
    return Integer.parseInt(text(name));
  }

  public long longOf(String name) {
    return Long.parseLong(text(name));
  }

  public double doubleOf(String name) {
    return Double.parseDouble(text(name));
  }

  public boolean flag(String name) {
    return Boolean.parseBoolean(text(name));
  }

  public List<String> list(String name) {
    return ConfigKey.elements(text(name));
  }

  /** The segment size in force: the one for tests if it is set. */
  public int segmentBytes() {
    return find("internal.segment.bytes") != null
        ? intOf("internal.segment.bytes")
        : intOf("segment.bytes");
  }
}
