package io.fencepost.streams.task;

import io.fencepost.streams.Job;
import io.fencepost.streams.PlanNode;
import io.fencepost.streams.StoreSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** What all tasks of one part of a started job have in common. */
public final class TaskPlan {
  /** Holds the highest event time in a table of an operator with event time. */
  static final byte[] EVENT_TIME_KEY = new byte[0];

  private final String jobName;
  private final String applicationId;
  private final String name;
  private final List<StoreSpec<?, ?>> stores = new ArrayList<>();
  private final Map<String, PlanNode.Source> sources = new LinkedHashMap<>();
  private final List<PlanNode.Repartition> repartitions = new ArrayList<>();
  private final @Nullable String deadLetterTopic;
  private final int maxRecordBytes;
  private final List<Integer> dedupTables = new ArrayList<>();
  private PlanNode.@Nullable Source patternSource;
  private int parallelism;
  private int partitionCount = Integer.MAX_VALUE;

  TaskPlan(Job job, Set<PlanNode> nodes, String applicationId, int maxRecordBytes) {
    this.maxRecordBytes = maxRecordBytes;
    this.jobName = job.name();
    this.applicationId = applicationId;
    this.deadLetterTopic = job.deadLetterTopic();
    for (PlanNode node : job.nodes()) {
      if (!nodes.contains(node)) {
        continue;
      }
      if (node instanceof PlanNode.Source source) {
        source.topics(applicationId).forEach(topic -> sources.put(topic, source));
        if (source.pattern() != null) {
          patternSource = source;
        }
      }
      if (node instanceof PlanNode.Parallel parallel) {
        parallelism = Math.max(parallelism, parallel.parallelism());
      }
      if (node instanceof PlanNode.Repartition topic) {
        repartitions.add(topic);
      }
    }
    for (StoreSpec<?, ?> store : job.stores()) {
      if (nodes.stream().anyMatch(node -> node.stores().contains(store))) {
        if (store.kind() == StoreSpec.Kind.FIRST_SIGHTS) {
          dedupTables.add(stores.size());
        }
        stores.add(store);
      }
    }
    this.name = nameOf(sources, patternSource);
  }

  private static String nameOf(
      Map<String, PlanNode.Source> sources, PlanNode.@Nullable Source patternSource) {
    if (!sources.isEmpty()) {
      return sources.keySet().iterator().next();
    }
    return patternSource == null ? "none" : patternSource.name();
  }

  /** Its first topic, or the name of its pattern source: part of its tasks' names. */
  public String name() {
    return name;
  }

  /** How many partitions its changelogs have; set once they are known. */
  void partitionCount(int count) {
    partitionCount = count;
  }

  /** Whether there is state for that partition of an input, or none is needed. */
  boolean hasStateFor(TopicPartition input) {
    return stores.isEmpty() || input.partition() < partitionCount;
  }

  int partitionCount() {
    return partitionCount;
  }

  String jobName() {
    return jobName;
  }

  /** The most that the producer sends in one request. */
  int maxRecordBytes() {
    return maxRecordBytes;
  }

  int parallelism() {
    return parallelism;
  }

  /** The topics that it reads by name. */
  public List<String> topics() {
    return List.copyOf(sources.keySet());
  }

  public @Nullable Pattern pattern() {
    return patternSource == null ? null : patternSource.pattern();
  }

  /** The topics of this part that are written by the job itself. */
  public List<String> ownTopics() {
    return sources.entrySet().stream()
        .filter(entry -> entry.getValue().origin() != null)
        .map(Map.Entry::getKey)
        .toList();
  }

  /** The topics of the job's own that this part writes. */
  public List<String> writtenTopics() {
    return repartitions.stream().map(node -> node.topic(applicationId)).toList();
  }

  public List<StoreSpec<?, ?>> stores() {
    return stores;
  }

  public int tableCount() {
    return stores.size();
  }

  List<Integer> dedupTables() {
    return dedupTables;
  }

  boolean isTimed(int table) {
    return stores.get(table).kind() == StoreSpec.Kind.TIMED;
  }

  /** Per table, whether its entries are kept in order. */
  List<Boolean> orderedTables() {
    return stores.stream()
        .<Boolean>map(store -> store.kind() != StoreSpec.Kind.FIRST_SIGHTS)
        .toList();
  }

  @Nullable String deadLetterTopic() {
    return deadLetterTopic;
  }

  List<PlanNode.Source> sources() {
    List<PlanNode.Source> all = new ArrayList<>(sources.values());
    if (patternSource != null) {
      all.add(patternSource);
    }
    return all.stream().distinct().toList();
  }

  /** Whether its inputs take turns by timestamp; without state their order is nobody's business. */
  boolean takesTurns() {
    return !stores.isEmpty();
  }

  /** Of messages of equal time those of a table are first, so that others find them. */
  int rank(String topic) {
    return source(topic).feedsTable() ? 0 : 1;
  }

  PlanNode.Source source(String topic) {
    PlanNode.Source source = sources.getOrDefault(topic, patternSource);
    if (source == null) {
      throw new IllegalStateException("job " + jobName + " does not read topic " + topic);
    }
    return source;
  }

  int table(StoreSpec<?, ?> store) {
    return stores.indexOf(store);
  }

  long retentionMs(int table) {
    Duration retention = stores.get(table).retention();
    return retention == null ? Long.MAX_VALUE : retention.toMillis();
  }

  String applicationId() {
    return applicationId;
  }

  String changelogTopic(int table) {
    return stores.get(table).changelogTopic(applicationId);
  }

  public TopicPartition changelog(int table, int partition) {
    return new TopicPartition(changelogTopic(table), partition);
  }
}
