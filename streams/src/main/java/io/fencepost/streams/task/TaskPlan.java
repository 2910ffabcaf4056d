package io.fencepost.streams.task;

import io.fencepost.streams.Job;
import io.fencepost.streams.PlanNode;
import io.fencepost.streams.StoreSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** What all tasks of a started job have in common: a snapshot of its definition. */
public final class TaskPlan {
  private final String jobName;
  private final String applicationId;
  private final List<StoreSpec<?, ?>> stores;
  private final TreeMap<String, PlanNode.Source> sources = new TreeMap<>();
  private final @Nullable String deadLetterTopic;
  private final int maxRecordBytes;
  private final List<Integer> dedupTables = new ArrayList<>();

  public TaskPlan(Job job, String applicationId, int maxRecordBytes) {
    this.maxRecordBytes = maxRecordBytes;
    this.jobName = job.name();
    this.applicationId = applicationId;
    this.stores = job.stores();
    this.deadLetterTopic = job.deadLetterTopic();
    for (PlanNode.Source source : job.sources()) {
      source.topics().forEach(topic -> sources.put(topic, source));
    }
    for (int i = 0; i < stores.size(); i++) {
      if (stores.get(i).retention() != null) {
        dedupTables.add(i);
      }
    }
  }

  String jobName() {
    return jobName;
  }

  /** The most that the producer sends in one request. */
  int maxRecordBytes() {
    return maxRecordBytes;
  }

  public List<String> sourceTopics() {
    return List.copyOf(sources.keySet());
  }

  public int tableCount() {
    return stores.size();
  }

  List<Integer> dedupTables() {
    return dedupTables;
  }

  @Nullable String deadLetterTopic() {
    return deadLetterTopic;
  }

  PlanNode.Source source(String topic) {
    PlanNode.Source source = sources.get(topic);
    if (source == null) {
      throw new IllegalStateException("job " + jobName + " does not read topic " + topic);
    }
    return source;
  }

  int table(StoreSpec<?, ?> store) {
    return stores.indexOf(store);
  }

  long retentionMs(int table) {
    return retentionMs(stores.get(table));
  }

  long retentionMs(StoreSpec<?, ?> store) {
    return store.retention() == null ? Long.MAX_VALUE : store.retention().toMillis();
  }

  String changelogTopic(int table) {
    return stores.get(table).changelogTopic(applicationId);
  }

  public TopicPartition changelog(int table, int partition) {
    return new TopicPartition(changelogTopic(table), partition);
  }
}
