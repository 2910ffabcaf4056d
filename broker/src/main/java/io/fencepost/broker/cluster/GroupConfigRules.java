package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.wire.WireError;
import java.util.List;
import java.util.SortedMap;

/** What becomes of a change of a group's own settings, with Kafka's error codes. */
final class GroupConfigRules {
  private static final ConfigEdit.Kind KIND =
      new ConfigEdit.Kind(GroupConfigs.TABLE, "group config", WireError.INVALID_CONFIG);

  private GroupConfigRules() {}

  static ConfigEdit change(
      SortedMap<String, String> present, List<ConfigChange> changes, BrokerConfig broker) {
    ConfigEdit edit =
        ConfigEdit.change(present, changes, KIND, key -> GroupConfigs.inherited(key, broker));
    return edit.error() == WireError.NONE ? replaced(edit.configs(), broker) : edit;
  }

  /** Just these settings, if they are fine. */
  static ConfigEdit replaced(SortedMap<String, String> configs, BrokerConfig broker) {
    String problem = GroupConfigs.problem(configs, broker);
    return problem != null ? KIND.refuse(problem) : ConfigEdit.of(configs);
  }
}
