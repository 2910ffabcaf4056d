package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerKeys;
import io.fencepost.broker.config.ConfigKey;
import io.fencepost.broker.wire.WireError;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What becomes of a change of a broker's settings while it runs, with Kafka's error codes. Only
 * those can change that every partition or group follows; the rest is read when the broker starts.
 */
public final class BrokerConfigRules {
  private static final TreeSet<String> DYNAMIC = dynamic();

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
    TreeMap<String, String> next = new TreeMap<>(present);
    TreeSet<String> seen = new TreeSet<>();
    for (ConfigChange change : changes) {
      String name = change.name();
      if (!seen.add(name)) {
        return ConfigEdit.refused(
            WireError.INVALID_REQUEST, "The setting " + name + " occurs twice in one request");
      }
      if (change.operation() == ConfigChange.Operation.DELETE) {
        next.remove(name);
        continue;
      }
      if (change.value() == null) {
        return ConfigEdit.refused(
            WireError.INVALID_REQUEST, "The setting " + name + " has no value (null)");
      }
      ConfigKey key = BrokerKeys.TABLE.find(name);
      String problem =
          key == null
              ? BrokerKeys.TABLE.unknown("broker config", name)
              : ConfigRules.apply(change, key, next, settings.inForce().find(name));
      if (problem != null) {
        return ConfigEdit.refused(WireError.INVALID_REQUEST, problem);
      }
    }
    return replaced(next);
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
    String problem = BrokerKeys.TABLE.problem("broker config", configs);
    return problem != null
        ? ConfigEdit.refused(WireError.INVALID_REQUEST, problem)
        : ConfigEdit.of(configs);
  }
}
