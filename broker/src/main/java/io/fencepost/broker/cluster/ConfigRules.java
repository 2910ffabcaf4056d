package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.config.ConfigKey;
import io.fencepost.broker.config.ConfigType;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What becomes of a change of a topic's settings, with Kafka's error codes. */
final class ConfigRules {
  private static final ConfigEdit.Kind KIND =
      new ConfigEdit.Kind(TopicConfigs.TABLE, "topic config", WireError.INVALID_CONFIG);

  private ConfigRules() {}

  static TopicResult change(TopicState topic, List<ConfigChange> changes, BrokerConfig broker) {
    ConfigEdit edit =
        ConfigEdit.change(
            topic.configs(), changes, KIND, key -> TopicConfigs.brokerDefault(key.name(), broker));
    String refusal = edit.message();
    return refusal == null
        ? replaced(topic, edit.configs())
        : TopicResult.refused(topic.name(), edit.error(), refusal);
  }

  /** The topic with just these settings, if they are fine. */
  static TopicResult replaced(TopicState topic, SortedMap<String, String> configs) {
    String problem = TopicConfigs.problem(configs);
    return problem != null ? invalid(topic, problem) : TopicResult.done(topic.withConfigs(configs));
  }

  /**
   * Sets, appends to or subtracts from one of these settings, or says why not.
   *
   * @param inherited what is in force where they say nothing
   */
  static @Nullable String apply(
      ConfigChange.Operation operation,
      String value,
      ConfigKey key,
      TreeMap<String, String> configs,
      @Nullable String inherited) {
    if (operation == ConfigChange.Operation.SET) {
      configs.put(key.name(), value);
      return null;
    }
    if (key.type() != ConfigType.LIST) {
      return "Only lists can be appended to or subtracted from, and " + key.name() + " is none";
    }
    String present = configs.get(key.name());
    if (present == null) {
      present = inherited;
    }
    List<String> elements = new ArrayList<>(ConfigKey.elements(present == null ? "" : present));
    List<String> named = new ArrayList<>(ConfigKey.elements(value));
    if (operation == ConfigChange.Operation.APPEND) {
      named.removeAll(elements);
      elements.addAll(named);
    } else {
      elements.removeAll(named);
    }
    configs.put(key.name(), String.join(",", elements));
    return null;
  }

  private static TopicResult invalid(TopicState topic, String problem) {
    return TopicResult.refused(topic.name(), WireError.INVALID_CONFIG, problem);
  }
}
