package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.wire.WireError;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** What becomes of a change of the settings of a named broker or group. */
final class SettingRules {
  private static final ConfigEdit NAMELESS =
      ConfigEdit.refused(
          WireError.INVALID_REQUEST, "Groups have settings one by one, and the name is empty");

  private SettingRules() {}

  /** An empty name stands for all brokers. */
  static ConfigEdit broker(
      ClusterState state, String broker, Function<SortedMap<String, String>, ConfigEdit> rule) {
    boolean known =
        broker.isEmpty()
            || state.members().keySet().stream().anyMatch(id -> String.valueOf(id).equals(broker));
    return known
        ? rule.apply(state.brokerConfigs().getOrDefault(broker, new TreeMap<>()))
        : ConfigEdit.refused(
            WireError.INVALID_REQUEST,
            "There is no broker " + broker + ", only " + state.members().keySet());
  }

  static ConfigEdit group(
      ClusterState state, String group, List<ConfigChange> changes, BrokerConfig broker) {
    SortedMap<String, String> present = state.groupConfigs().getOrDefault(group, new TreeMap<>());
    return group.isEmpty() ? NAMELESS : GroupConfigRules.change(present, changes, broker);
  }

  static ConfigEdit group(String group, SortedMap<String, String> configs, BrokerConfig broker) {
    return group.isEmpty() ? NAMELESS : GroupConfigRules.replaced(configs, broker);
  }
}
