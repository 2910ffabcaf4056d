package io.fencepost.streams.client;

import io.fencepost.streams.store.ChangelogTopic;
import io.fencepost.streams.task.ChangelogLost;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Whether the changelogs of a job still are the topics that they were at its start: a producer has
 * the broker make a topic anew that was deleted, and notices nothing. Thread-safe.
 */
public final class ChangelogWatch {
  /** So often {@link #look} asks the cluster. */
  static final long INTERVAL_MS = 5_000;

  /** A broker that came just now may not know all topics yet. */
  private static final long NEWS_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Admin admin;
  private final Map<String, String> ids = new LinkedHashMap<>();
  private final TreeSet<String> missing = new TreeSet<>();
  private Map<String, KafkaFuture<TopicDescription>> asked = Map.of();
  private long askedAtMs;
  private @Nullable ChangelogLost lost;

  public ChangelogWatch(Admin admin, Collection<ChangelogTopic> changelogs, long nowMs) {
    this.admin = admin;
    this.askedAtMs = nowMs;
    for (ChangelogTopic changelog : changelogs) {
      if (!changelog.id().equals(Uuid.ZERO_UUID.toString())) {
        ids.put(changelog.name(), changelog.id()); // brokers before 2.8 give no ids
      }
    }
  }

  /**
   * What was found, by and by; null while all is well. Never waits for the cluster. A topic that is
   * missing counts as lost when it is so twice.
   */
  public synchronized @Nullable ChangelogLost look(long nowMs) {
    if (lost != null || ids.isEmpty() || nowMs - askedAtMs < INTERVAL_MS) {
      return lost;
    }
    Map<String, KafkaFuture<TopicDescription>> answers = asked;
    if (!answers.values().stream().allMatch(KafkaFuture::isDone)) {
      return null;
    }
    answers.forEach(
        (topic, answer) -> {
          boolean isMissing = isMissing(topic, answer);
          if (isMissing && !missing.add(topic)) {
            lost = deleted(topic);
          } else if (!isMissing) {
            missing.remove(topic);
          }
        });
    askedAtMs = nowMs;
    asked = ask(ids.keySet());
    return lost;
  }

  private Map<String, KafkaFuture<TopicDescription>> ask(Collection<String> topics) {
    return admin.describeTopics(topics).topicNameValues();
  }

  /**
   * Waits for the cluster's answer, before state is read from these topics.
   *
   * @throws ChangelogLost if one of them is another one now, or missing
   * @throws KafkaException if the cluster does not answer
   */
  void require(Collection<String> topics) {
    List<String> watched = topics.stream().filter(ids::containsKey).distinct().toList();
    long deadlineNanos = System.nanoTime() + NEWS_NANOS;
    while (!watched.isEmpty()) {
      Map<String, KafkaFuture<TopicDescription>> answers = ask(watched);
      List<String> unknown =
          watched.stream().filter(topic -> isMissingNow(topic, answers.get(topic))).toList();
      if (!unknown.isEmpty() && System.nanoTime() > deadlineNanos) {
        throw deleted(unknown.get(0));
      }
      if (!unknown.isEmpty()) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      watched = unknown;
    }
  }

  private boolean isMissingNow(String topic, @Nullable KafkaFuture<TopicDescription> answer) {
    if (answer == null) {
      return true;
    }
    try {
      ChangelogLost other = other(topic, answer.get());
      if (other != null) {
        throw other;
      }
      return false;
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return true;
      }
      throw e.getCause() instanceof KafkaException kafka ? kafka : new KafkaException(e.getCause());
    }
  }

  /** Of an answer that is there; no answer says nothing. */
  private boolean isMissing(String topic, KafkaFuture<TopicDescription> answer) {
    try {
      lost = lost == null ? other(topic, answer.get()) : lost;
      return false;
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      return e.getCause() instanceof UnknownTopicOrPartitionException;
    }
  }

  private @Nullable ChangelogLost other(String topic, TopicDescription description) {
    String id = description.topicId().toString();
    String expected = ids.get(topic);
    return id.equals(expected)
        ? null
        : new ChangelogLost(
            topic, "was deleted and made anew (its id was " + expected + " and is " + id + ")");
  }

  private static ChangelogLost deleted(String topic) {
    return new ChangelogLost(topic, "was deleted");
  }
}
