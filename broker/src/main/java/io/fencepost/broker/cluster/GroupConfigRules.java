package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.config.ConfigKey;
import io.fencepost.broker.wire.WireError;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** What becomes of a change of a group's own settings, with Kafka's error codes. */
final class GroupConfigRules {
  private GroupConfigRules() {}

  static ConfigEdit change(
      SortedMap<String, String> present, List<ConfigChange> changes, BrokerConfig broker) {
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
      ConfigKey key = GroupConfigs.TABLE.find(name);
      String problem =
          key == null
              ? GroupConfigs.TABLE.unknown("group config", name)
              : ConfigRules.apply(change, key, next, GroupConfigs.inherited(key, broker));
      if (problem != null) {
        return ConfigEdit.refused(WireError.INVALID_CONFIG, problem);
      }
    }
    return replaced(next, broker);
  }

  /** Just these settings, if they are fine. */
  static ConfigEdit replaced(SortedMap<String, String> configs, BrokerConfig broker) {
    String problem = GroupConfigs.problem(configs, broker);
    return problem != null
        ? ConfigEdit.refused(WireError.INVALID_CONFIG, problem)
        : ConfigEdit.of(configs);
  }
}
