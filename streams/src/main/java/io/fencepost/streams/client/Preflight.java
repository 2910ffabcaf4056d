package io.fencepost.streams.client;

import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobStartException;
import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.store.ChangelogTopic;
import io.fencepost.streams.task.JobPlan;
import io.fencepost.streams.task.PartitionCounts;
import io.fencepost.streams.task.TaskPlan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
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

/** Checks a job against its cluster before anything runs, and creates the topics of its own. */
public final class Preflight {
  private static final long PATIENCE_NANOS = 5_000_000_000L;

  /** A topic that was created just now may be unknown to the broker that is asked. */
  private static final long NEWS_NANOS = 2_000_000_000L;

  private static final long PAUSE_NANOS = 20_000_000L;

  /** A kind of topic that the job makes for itself. */
  private record OwnTopic(String what, String advice, Map<String, String> settings) {}

  private static final String CLEANUP = "cleanup.policy";
  private static final String STATE_ADVICE =
      "State does not move between partitions: use a new application.id or store name, or restore"
          + " the old number of partitions";

  /** A record per key; entries are deleted by tombstones in the job's transactions. */
  private static final OwnTopic CHANGELOG =
      new OwnTopic("changelog", STATE_ADVICE, Map.of(CLEANUP, "compact"));

  /**
   * Many keys in a record, whose timestamp is event time. Purged by the job when event time has
   * passed it by, and by nothing else: the wall clock would forget keys too early, or never.
   */
  private static final OwnTopic FIRST_SIGHTS =
      new OwnTopic(
          "changelog",
          STATE_ADVICE,
          keptForTheJob(
              Map.of(
                  "message.timestamp.type",
                  "CreateTime",
                  "message.timestamp.after.max.ms",
                  String.valueOf(Long.MAX_VALUE))));

  /** Purged by the job once read, and by nothing else. */
  private static final OwnTopic REPARTITION =
      new OwnTopic(
          "repartition",
          "Use a new application.id or keyBy name, or restore the old number of partitions",
          keptForTheJob(Map.of()));

  /** Whole segments are freed, so they are small. */
  private static Map<String, String> keptForTheJob(Map<String, String> more) {
    Map<String, String> settings = new TreeMap<>(more);
    settings.put(CLEANUP, "delete");
    settings.put("retention.ms", "-1");
    settings.put("retention.bytes", "-1");
    settings.put("segment.bytes", String.valueOf(64 << 20));
    return settings;
  }

  private final Admin admin;
  private final Job job;
  private final JobPlan plan;
  private final JobConfig config;
  private final String applicationId;

  public Preflight(Admin admin, Job job, JobPlan plan, JobConfig config) {
    this.admin = admin;
    this.job = job;
    this.plan = plan;
    this.config = config;
    this.applicationId = config.applicationId(job);
  }

  /**
   * What stored state belongs to.
   *
   * @param changelogs by store name
   * @param partitions number of partitions by part of the job
   */
  public record Surroundings(
      String clusterId, Map<String, ChangelogTopic> changelogs, Map<String, Integer> partitions) {}

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
    Map<TaskPlan, Integer> counts = PartitionCounts.of(plan, this::sourceCounts);
    describe("sink", job.sinkTopics());
    String dead = job.deadLetterTopic();
    if (dead != null) {
      describe("dead-letter", List.of(dead));
    }
    checkTransactionTimeout();
    Map<String, ChangelogTopic> changelogs = new LinkedHashMap<>();
    Map<String, Integer> byPart = new LinkedHashMap<>();
    counts.forEach(
        (part, partitions) -> {
          byPart.put(part.name(), partitions);
          for (String topic : part.ownTopics()) {
            ensure(topic, partitions, REPARTITION);
          }
          for (StoreSpec<?, ?> store : part.stores()) {
            String topic = store.changelogTopic(applicationId);
            boolean isCompacted = store.kind() != StoreSpec.Kind.FIRST_SIGHTS;
            OwnTopic kind = isCompacted ? CHANGELOG : FIRST_SIGHTS;
            String id = ensure(topic, partitions, kind).topicId().toString();
            // What is not compacted holds no deletions that could be gone.
            long deletionsMs = isCompacted ? deleteRetentionMs(topic) : ChangelogTopic.FOR_EVER;
            changelogs.put(store.name(), new ChangelogTopic(topic, id, deletionsMs));
          }
        });
    return new Surroundings(clusterId, changelogs, byPart);
  }

  private SortedMap<String, Integer> sourceCounts(TaskPlan part) {
    List<String> topics = new ArrayList<>(part.topics());
    topics.removeAll(part.ownTopics());
    if (part.pattern() != null) {
      answer("listing topics", admin.listTopics().names()).stream()
          .filter(plan::isMatched)
          .forEach(topics::add);
    }
    SortedMap<String, Integer> counts = new TreeMap<>();
    describe("source", topics)
        .forEach((topic, description) -> counts.put(topic, description.partitions().size()));
    return counts;
  }

  private Map<String, TopicDescription> describe(String role, List<String> topics) {
    Map<String, TopicDescription> found = new TreeMap<>();
    for (String topic : topics) {
      TopicDescription description = awaitTopic(topic, NEWS_NANOS);
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
      String value = setting(new ConfigResource(ConfigResource.Type.BROKER, node), key);
      if (value == null) {
        return;
      }
      long limit = Long.parseLong(value);
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

  private long deleteRetentionMs(String topic) {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    try {
      Config settings = get(admin.describeConfigs(List.of(resource)).all()).get(resource);
      ConfigEntry entry = settings == null ? null : settings.get("delete.retention.ms");
      return entry == null || entry.value() == null
          ? ChangelogTopic.FOR_EVER
          : Long.parseLong(entry.value());
    } catch (KafkaException | NumberFormatException e) {
      return ChangelogTopic.FOR_EVER; // not allowed to ask
    }
  }

  /** Creates a topic of the job's own, or checks the one that is there. */
  private TopicDescription ensure(String topic, int partitions, OwnTopic kind) {
    TopicDescription description = tryDescribe(topic);
    if (description == null) {
      create(topic, partitions, kind);
      description = awaitTopic(topic, PATIENCE_NANOS);
    }
    if (description == null) {
      throw new JobStartException(
          kind.what() + " topic " + topic + " was created but does not appear");
    }
    if (description.partitions().size() != partitions) {
      throw new JobStartException(
          kind.what()
              + " topic "
              + topic
              + " has "
              + description.partitions().size()
              + " partitions, the source topics have "
              + partitions
              + ". "
              + kind.advice());
    }
    checkCleanup(topic, kind);
    return description;
  }

  /** A topic that somebody else made with the wrong policy would lose state without a word. */
  private void checkCleanup(String topic, OwnTopic kind) {
    String wanted = String.valueOf(kind.settings().get(CLEANUP));
    String found = setting(new ConfigResource(ConfigResource.Type.TOPIC, topic), CLEANUP);
    if (found != null && !found.equals(wanted)) {
      throw new JobStartException(
          kind.what()
              + " topic "
              + topic
              + " has "
              + CLEANUP
              + "="
              + found
              + ", with which the job would lose state; set it to "
              + wanted
              + ", or let the job create the topic");
    }
  }

  /** Null if it cannot be told, as nobody may ask. */
  private @Nullable String setting(ConfigResource resource, String key) {
    try {
      Config settings = get(admin.describeConfigs(List.of(resource)).all()).get(resource);
      ConfigEntry entry = settings == null ? null : settings.get(key);
      return entry == null ? null : entry.value();
    } catch (KafkaException e) {
      return null;
    }
  }

  private @Nullable TopicDescription awaitTopic(String topic, long patienceNanos) {
    long deadlineNanos = System.nanoTime() + patienceNanos;
    while (true) {
      TopicDescription description = tryDescribe(topic);
      if (description != null || System.nanoTime() > deadlineNanos) {
        return description;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void create(String topic, int partitions, OwnTopic kind) {
    Optional<Short> replication =
        config.replicationFactor() < 1 ? Optional.empty() : Optional.of(config.replicationFactor());
    NewTopic fresh =
        new NewTopic(topic, Optional.of(partitions), replication).configs(kind.settings());
    try {
      get(admin.createTopics(List.of(fresh)).all());
    } catch (TopicExistsException e) {
      return;
    } catch (KafkaException e) {
      throw new JobStartException(
          kind.what() + " topic " + topic + " could not be created: " + e, e);
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
