package io.fencepost.broker.cluster;

import io.fencepost.broker.wire.Uuid;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A topic: partitions are numbered by their place in the list; configs are only those set on the
 * topic itself, by Kafka's key names (the defaults are {@link TopicConfigs}' business). Immutable.
 */
public record TopicState(
    String name,
    Uuid id,
    boolean internal,
    List<PartitionState> partitions,
    SortedMap<String, String> configs) {
  public TopicState {
    partitions = List.copyOf(partitions);
    configs = Collections.unmodifiableSortedMap(new TreeMap<>(configs));
  }

  TopicState withPartitions(List<PartitionState> changed) {
    return new TopicState(name, id, internal, changed, configs);
  }

  TopicState withConfigs(SortedMap<String, String> changed) {
    return new TopicState(name, id, internal, partitions, changed);
  }
}
