package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.config.ConfigKey;
import io.fencepost.broker.config.ConfigType;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What becomes of a change of a topic's settings, with Kafka's error codes. */
final class ConfigRules {
  private ConfigRules() {}

  static TopicResult change(TopicState topic, List<ConfigChange> changes, BrokerConfig broker) {
    TreeMap<String, String> next = new TreeMap<>(topic.configs());
    TreeSet<String> seen = new TreeSet<>();
    for (ConfigChange change : changes) {
      if (!seen.add(change.name())) {
        return TopicResult.refused(
            topic.name(),
            WireError.INVALID_REQUEST,
            "The setting " + change.name() + " occurs twice in one request");
      }
      if (change.value() == null && change.operation() != ConfigChange.Operation.DELETE) {
        return TopicResult.refused(
            topic.name(),
            WireError.INVALID_REQUEST,
            "The setting " + change.name() + " has no value (null)");
      }
      ConfigKey key = TopicConfigs.TABLE.find(change.name());
      if (key == null && change.operation() != ConfigChange.Operation.DELETE) {
        return invalid(topic, TopicConfigs.TABLE.unknown("topic config", change.name()));
      }
      String problem =
          key == null
              ? null
              : apply(change, key, next, TopicConfigs.brokerDefault(change.name(), broker));
      if (problem != null) {
        return invalid(topic, problem);
      }
      if (key == null) {
        next.remove(change.name());
      }
    }
    return replaced(topic, next);
  }

  /** The topic with just these settings, if they are fine. */
  static TopicResult replaced(TopicState topic, SortedMap<String, String> configs) {
    String problem = TopicConfigs.problem(configs);
    return problem != null
        ? invalid(topic, problem)
        : TopicResult.done(
            new TopicState(
                topic.name(), topic.id(), topic.internal(), topic.partitions(), configs));
  }

  /**
   * Makes the change in these settings, or says why not.
   *
   * @param inherited what is in force where they say nothing
   */
  static @Nullable String apply(
      ConfigChange change,
      ConfigKey key,
      TreeMap<String, String> configs,
      @Nullable String inherited) {
    String value = change.value();
    if (value == null || change.operation() == ConfigChange.Operation.DELETE) {
      configs.remove(change.name());
      return null;
    }
    if (change.operation() == ConfigChange.Operation.SET) {
      configs.put(change.name(), value);
      return null;
    }
    if (key.type() != ConfigType.LIST) {
      return "Only lists can be appended to or subtracted from, and " + change.name() + " is none";
    }
    String present = configs.get(change.name());
    if (present == null) {
      present = inherited;
    }
    List<String> elements = new ArrayList<>(ConfigKey.elements(present == null ? "" : present));
    List<String> named = new ArrayList<>(ConfigKey.elements(value));
    if (change.operation() == ConfigChange.Operation.APPEND) {
      named.removeAll(elements);
      elements.addAll(named);
    } else {
      elements.removeAll(named);
    }
    configs.put(change.name(), String.join(",", elements));
    return null;
  }

  private static TopicResult invalid(TopicState topic, String problem) {
    return TopicResult.refused(topic.name(), WireError.INVALID_CONFIG, problem);
  }
}
