package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The settings of a broker in layers, strongest first: changed for this broker while it ran,
 * changed for all brokers, given at its start. Immutable.
 */
public record BrokerSettings(
    SortedMap<String, String> own, SortedMap<String, String> common, BrokerConfig atStart) {

  private static final SortedMap<String, String> NONE =
      Collections.unmodifiableSortedMap(new TreeMap<>());

  static BrokerSettings of(ClusterState state, BrokerConfig atStart) {
    String id = String.valueOf(atStart.brokerId());
    return new BrokerSettings(
        state.brokerConfigs().getOrDefault(id, NONE),
        state.brokerConfigs().getOrDefault("", NONE),
        atStart);
  }

  /** Those that no broker has for itself alone. */
  static BrokerSettings ofAll(ClusterState state, BrokerConfig atStart) {
    return new BrokerSettings(NONE, state.brokerConfigs().getOrDefault("", NONE), atStart);
  }

  /** All layers together. */
  public BrokerConfig inForce() {
    return own.isEmpty() && common.isEmpty() ? atStart : atStart.overlaid(common).overlaid(own);
  }
}
