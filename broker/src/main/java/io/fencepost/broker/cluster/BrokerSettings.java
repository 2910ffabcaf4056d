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

  static BrokerSettings of(ClusterState state, BrokerConfig atStart) {
    SortedMap<String, String> none = Collections.unmodifiableSortedMap(new TreeMap<>());
    String id = String.valueOf(atStart.brokerId());
    return new BrokerSettings(
        state.brokerConfigs().getOrDefault(id, none),
        state.brokerConfigs().getOrDefault("", none),
        atStart);
  }

  /** All layers together. */
  public BrokerConfig inForce() {
    return own.isEmpty() && common.isEmpty() ? atStart : atStart.overlaid(common).overlaid(own);
  }
}
