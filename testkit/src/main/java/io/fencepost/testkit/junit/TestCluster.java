package io.fencepost.testkit.junit;

import io.fencepost.testkit.fault.main.BrokerFaults;
import io.fencepost.txn.main.ClusterConfig;
import io.fencepost.txn.main.FencepostCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * A cluster as tests use it: one that {@link Fencepost} started, or any Kafka cluster with {@link
 * #at}. Its waits return as soon as it is so, and fail after thirty seconds (see {@link #within})
 * with what was seen last. Thread-safe.
 */
public final class TestCluster implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int MAX_REPLICAS = 3;
  private static final String DEFAULT_PARTITIONS = "num.partitions";

  private final @Nullable BrokerFaults brokers;
  private final String bootstrapServers;
  private final OpenClients clients;
  private final Duration patience;

  private TestCluster(
      @Nullable BrokerFaults brokers,
      String bootstrapServers,
      OpenClients clients,
      Duration patience) {
    this.brokers = brokers;
    this.bootstrapServers = bootstrapServers;
    this.clients = clients;
    this.patience = patience;
  }

  /** Any Kafka cluster, which closing leaves as it is. */
  public static TestCluster at(String bootstrapServers) {
    return new TestCluster(null, bootstrapServers, new OpenClients(), PATIENCE);
  }

  /** So many brokers in this JVM, on free ports and in a temporary directory. */
  public static TestCluster start(int brokers) {
    return start(brokers, new TreeMap<>());
  }

  /** The same with broker settings under Kafka's names. */
  public static TestCluster start(int brokers, SortedMap<String, String> settings) {
    ClusterConfig.Builder config = ClusterConfig.builder().brokers(brokers);
    settings.forEach(config::set);
    BrokerFaults cluster = BrokerFaults.start(config.build(), null, BrokerFaults.RESTART_AFTER);
    return new TestCluster(
        cluster, cluster.cluster().bootstrapServers(), new OpenClients(), PATIENCE);
  }

  static TestCluster start(Fencepost annotation) {
    SortedMap<String, String> settings = Pairs.parse("@Fencepost(settings)", annotation.settings());
    settings.putIfAbsent(DEFAULT_PARTITIONS, String.valueOf(annotation.partitions()));
    TestCluster cluster = start(annotation.brokers(), settings);
    boolean isReady = false;
    try {
      for (String topic : annotation.topics()) {
        TopicText it = TopicText.parse(topic, annotation.partitions());
        cluster.createTopic(it.name(), it.partitions());
      }
      isReady = true;
      return cluster;
    } finally {
      if (!isReady) {
        cluster.close();
      }
    }
  }

  /** What clients put into bootstrap.servers. */
  public String bootstrapServers() {
    return bootstrapServers;
  }

  /**
   * The brokers themselves, to be stopped, killed or cut off.
   *
   * @throws IllegalStateException if they are not in this JVM
   */
  public FencepostCluster brokers() {
    return faults().cluster();
  }

  /** The same with what a plan does to them. */
  BrokerFaults faults() {
    if (brokers == null) {
      throw new IllegalStateException(
          "the brokers at "
              + bootstrapServers
              + " are not in this JVM; TestCluster.start(...) and @Fencepost start some that are");
    }
    return brokers;
  }

  /** Whether its brokers are in this JVM. */
  public boolean isEmbedded() {
    return brokers != null;
  }

  /** Creates a topic with three replicas, or as many as there are brokers; returns when it is. */
  public TestCluster createTopic(String name, int partitions) {
    Optional<Short> replicas =
        brokers == null
            ? Optional.empty()
            : Optional.of((short) Math.min(MAX_REPLICAS, brokers.cluster().brokers().size()));
    try (Admin admin = admin()) {
      NewTopic topic = new NewTopic(name, Optional.of(partitions), replicas);
      admin.createTopics(List.of(topic)).all().get(patience.toMillis(), TimeUnit.MILLISECONDS);
      return this;
    } catch (ExecutionException | TimeoutException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IllegalStateException(
          "topic " + name + " was not created: " + cause.getMessage(), cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while topic " + name + " was created", e);
    }
  }

  /** A log to be written by a sentence: partition 0 of a topic. */
  public LogScript log(String topic) {
    return log(topic, 0);
  }

  /** The same of another partition. */
  public LogScript log(String topic, int partition) {
    return clients.add(new LogScript(bootstrapServers, topic, partition, patience));
  }

  /** The same cluster with another patience in its waits. */
  public TestCluster within(Duration patience) {
    return new TestCluster(brokers, bootstrapServers, clients, patience);
  }

  /**
   * Waits for that many committed records of a topic and returns all that there are, as text, by
   * partition and offset.
   */
  public List<ConsumerRecord<String, String>> awaitCommitted(String topic, int count) {
    return awaitCommitted(topic, count, new StringDeserializer(), new StringDeserializer());
  }

  /** The same with other types. */
  public <K, V> List<ConsumerRecord<K, V>> awaitCommitted(
      String topic, int count, Deserializer<K> keys, Deserializer<V> values) {
    try (CommittedWait wait = new CommittedWait(bootstrapServers, topic, patience)) {
      return Records.decoded(wait.await(count), keys, values);
    }
  }

  /**
   * Waits until a consumer group that reads committed has at most so many records before it in the
   * topics that it has committed offsets of. Markers and aborted records are none.
   */
  public void awaitLag(String group, long lag) {
    awaitLag(group, lag, IsolationLevel.READ_COMMITTED);
  }

  /** The same for a group of that isolation level. */
  public void awaitLag(String group, long lag, IsolationLevel isolation) {
    try (Admin admin = admin();
        LagWait wait = new LagWait(admin, bootstrapServers, group, isolation)) {
      Waiting.until(patience, wait.describe(lag), () -> wait.isAtMost(lag), wait::lastSeen);
    }
  }

  /** Waits until no open transaction keeps readers of committed records from the topic's ends. */
  public void awaitLsoAtEnd(String topic) {
    try (LsoWait wait = new LsoWait(bootstrapServers, topic)) {
      Waiting.until(
          patience,
          "the last stable offset is the high watermark in all partitions of " + topic,
          wait::isAtEnd,
          wait::lastSeen);
    }
  }

  private Admin admin() {
    return ClusterClients.admin(bootstrapServers, Map.of());
  }

  /** Ends what scripts left open, and the brokers if they are in this JVM. */
  @Override
  public void close() {
    try {
      clients.close();
    } finally {
      if (brokers != null) {
        brokers.close();
      }
    }
  }
}
