package io.fencepost.broker.cluster;

import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A topic that somebody wants. Counts of -1 mean the broker's default; with an assignment
 * (partition to its replicas) both counts must be -1.
 */
public record NewTopic(
    String name,
    int partitionCount,
    int replicationFactor,
    SortedMap<Integer, List<Integer>> assignment,
    SortedMap<String, @Nullable String> configs) {}
