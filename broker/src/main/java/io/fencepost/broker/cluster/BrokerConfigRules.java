package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerKeys;
import io.fencepost.broker.config.ConfigKey;
import io.fencepost.broker.wire.WireError;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeSet;

/**
 * What becomes of a change of a broker's settings while it runs, with Kafka's error codes. Only
 * those can change that every partition or group follows; the rest is read when the broker starts.
 */
public final class BrokerConfigRules {
  private static final TreeSet<String> DYNAMIC = dynamic();
  private static final ConfigEdit.Kind KIND =
      new ConfigEdit.Kind(BrokerKeys.TABLE, "broker config", WireError.INVALID_REQUEST);

  private BrokerConfigRules() {}

  /** Whether the setting can change while a broker runs. */
  public static boolean isDynamic(String name) {
    return DYNAMIC.contains(name);
  }

  private static TreeSet<String> dynamic() {
    TreeSet<String> names = new TreeSet<>();
    names.add("producer.id.expiration.ms");
    names.add("group.consumer.assignment.interval.ms");
    for (ConfigKey key : TopicConfigs.TABLE.all()) {
      List<TopicConfigs.Synonym> synonyms = TopicConfigs.synonymsOf(key.name());
      if (!synonyms.isEmpty()) {
        names.add(synonyms.get(0).brokerKey());
      }
    }
    return names;
  }

  static ConfigEdit change(
      SortedMap<String, String> present, List<ConfigChange> changes, BrokerSettings settings) {
    ConfigEdit edit =
        ConfigEdit.change(present, changes, KIND, key -> settings.inForce().find(key.name()));
    return edit.error() == WireError.NONE ? replaced(edit.configs()) : edit;
  }

  /** Just these settings, if they are fine. */
  static ConfigEdit replaced(SortedMap<String, String> configs) {
    TreeSet<String> fixed = new TreeSet<>(configs.keySet());
    fixed.removeIf(name -> isDynamic(name) || BrokerKeys.TABLE.find(name) == null);
    if (!fixed.isEmpty()) {
      return ConfigEdit.refused(
          WireError.INVALID_REQUEST,
          "Cannot update these configs dynamically: "
              + fixed
              + "; set them when the broker starts");
    }
    String problem = KIND.table().problem(KIND.name(), configs);
    return problem != null ? KIND.refuse(problem) : ConfigEdit.of(configs);
  }
}
