package io.fencepost.streams.client;

import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobStartException;
import io.fencepost.streams.StoreSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Checks a job against its cluster before anything runs, and creates the changelog topics. */
public final class Preflight {
  private static final long PATIENCE_NANOS = 5_000_000_000L;

  private final Admin admin;
  private final Job job;
  private final JobConfig config;
  private final String applicationId;

  public Preflight(Admin admin, Job job, JobConfig config) {
    this.admin = admin;
    this.job = job;
    this.config = config;
    this.applicationId = config.applicationId(job);
  }

  /**
   * What stored state belongs to.
   *
   * @param identity ids of the changelog topics: state of a topic that was deleted is not ours
   */
  public record Surroundings(String clusterId, String identity) {}

  /**
   * Does it.
   *
   * @throws JobStartException naming what is wrong and what to change
   */
  public Surroundings run() {
    if (job.sources().isEmpty()) {
      throw new JobStartException("job " + job.name() + " reads no topic; begin with from(...)");
    }
    String clusterId =
        answer("asking " + config.bootstrapServers(), admin.describeCluster().clusterId());
    Map<String, TopicDescription> sources = describe("source", job.sourceTopics());
    describe("sink", job.sinkTopics());
    String dead = job.deadLetterTopic();
    if (dead != null) {
      describe("dead-letter", List.of(dead));
    }
    checkTransactionTimeout();
    if (job.stores().isEmpty()) {
      return new Surroundings(clusterId, "");
    }
    return new Surroundings(clusterId, changelogs(partitionCount(sources)));
  }

  private int partitionCount(Map<String, TopicDescription> sources) {
    TreeMap<Integer, String> counts = new TreeMap<>();
    sources.forEach((topic, description) -> counts.put(description.partitions().size(), topic));
    if (counts.size() > 1) {
      throw new JobStartException(
          "source topics differ in their number of partitions ("
              + counts
              + "), and the job has state: equal keys must have equal partition numbers. Give the"
              + " topics the same number of partitions");
    }
    return counts.firstKey();
  }

  private Map<String, TopicDescription> describe(String role, List<String> topics) {
    Map<String, TopicDescription> found = new TreeMap<>();
    for (String topic : topics) {
      TopicDescription description = tryDescribe(topic);
      if (description == null) {
        throw new JobStartException(
            role + " topic " + topic + " does not exist" + nearest(topic) + "; create it first");
      }
      found.put(topic, description);
    }
    return found;
  }

  private @Nullable TopicDescription tryDescribe(String topic) {
    long deadlineNanos = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      try {
        return get(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic);
      } catch (UnknownTopicOrPartitionException e) {
        return null;
      } catch (RetriableException e) {
        if (System.nanoTime() > deadlineNanos) {
          throw new JobStartException("topic " + topic + " could not be described: " + e, e);
        }
      } catch (KafkaException e) {
        throw new JobStartException("topic " + topic + " could not be described: " + e, e);
      }
    }
  }

  private String nearest(String topic) {
    TreeSet<String> names = new TreeSet<>(answer("listing topics", admin.listTopics().names()));
    return names.isEmpty() ? "" : "; the nearest name is " + JobConfig.nearest(topic, names);
  }

  private void checkTransactionTimeout() {
    String key = "transaction.max.timeout.ms";
    try {
      String node = get(admin.describeCluster().nodes()).iterator().next().idString();
      ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, node);
      Config settings = get(admin.describeConfigs(List.of(broker)).all()).get(broker);
      ConfigEntry entry = settings == null ? null : settings.get(key);
      if (entry == null || entry.value() == null) {
        return;
      }
      long limit = Long.parseLong(entry.value());
      if (config.transactionTimeoutMs() > limit) {
        throw new JobStartException(
            "transaction.timeout.ms="
                + config.transactionTimeoutMs()
                + " is above the broker's "
                + key
                + "="
                + limit
                + "; lower the job's setting or raise the broker's");
      }
    } catch (KafkaException | NumberFormatException e) {
      // Not allowed to ask: the broker itself refuses a producer with too high a timeout.
      return;
    }
  }

  private String changelogs(int partitions) {
    List<String> ids = new ArrayList<>();
    for (StoreSpec<?, ?> store : job.stores()) {
      String topic = store.changelogTopic(applicationId);
      TopicDescription description = tryDescribe(topic);
      if (description == null) {
        create(topic, partitions);
        description = awaitTopic(topic);
      }
      if (description.partitions().size() != partitions) {
        throw new JobStartException(
            "changelog topic "
                + topic
                + " has "
                + description.partitions().size()
                + " partitions, the source topics have "
                + partitions
                + ". State does not move between partitions: use a new application.id or store"
                + " name, or restore the old number of partitions");
      }
      ids.add(topic + "=" + description.topicId());
    }
    return String.join(",", ids);
  }

  private TopicDescription awaitTopic(String topic) {
    long deadlineNanos = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      TopicDescription description = tryDescribe(topic);
      if (description != null) {
        return description;
      }
      if (System.nanoTime() > deadlineNanos) {
        throw new JobStartException(
            "changelog topic " + topic + " was created but does not appear");
      }
    }
  }

  private void create(String topic, int partitions) {
    Optional<Short> replication =
        config.replicationFactor() < 1 ? Optional.empty() : Optional.of(config.replicationFactor());
    NewTopic changelog =
        new NewTopic(topic, Optional.of(partitions), replication)
            // Expired entries are deleted by tombstones in the job's transactions, so compaction is
            // enough;
            // deletion by age would forget keys whose event time is far from the wall clock.
            .configs(Map.of("cleanup.policy", "compact"));
    try {
      get(admin.createTopics(List.of(changelog)).all());
    } catch (TopicExistsException e) {
      return;
    } catch (KafkaException e) {
      throw new JobStartException("changelog topic " + topic + " could not be created: " + e, e);
    }
  }

  private static <T> T answer(String what, KafkaFuture<T> future) {
    try {
      return get(future);
    } catch (KafkaException e) {
      throw new JobStartException(what + " failed: " + e, e);
    }
  }

  private static <T> T get(KafkaFuture<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException kafka ? kafka : new KafkaException(e.getCause());
    }
  }
}
