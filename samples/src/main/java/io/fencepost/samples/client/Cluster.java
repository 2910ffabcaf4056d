package io.fencepost.samples.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the jobs and labs ask of a cluster beside producing and consuming. Thread safe. */
public final class Cluster implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);

  private static final Comparator<TopicPartition> ORDER =
      Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition);

  private final Administration connection;
  private final Admin admin;
  private final Node node;

  private Cluster(Administration connection, Node node) {
    this.connection = connection;
    this.admin = connection.admin();
    this.node = node;
  }

  /** Connects, or says that nobody answers there. */
  public static Cluster connect(String bootstrap) {
    Administration connection = Administration.connect(bootstrap);
    Node node = connection.await(connection.admin().describeCluster().nodes()).iterator().next();
    return new Cluster(connection, node);
  }

  /** The addresses to give to a client. */
  public String bootstrap() {
    return connection.bootstrap();
  }

  /** Any broker of the cluster, by the address that it advertises. */
  public Node node() {
    return node;
  }

  /** Creates topics with the broker's own number of replicas; one that exists is a mistake. */
  public void createTopics(Collection<String> names, int partitions) {
    List<NewTopic> topics = new ArrayList<>();
    for (String name : names) {
      topics.add(new NewTopic(name, Optional.of(partitions), Optional.empty()));
    }
    try {
      await(admin.createTopics(topics).all());
    } catch (TopicExistsException e) {
      throw new UsageException(
          e.getMessage() + " Choose another --run name, or delete the topics of the earlier run.",
          e);
    }
  }

  /** Creates one topic as described. */
  public void createTopic(NewTopic topic) {
    await(admin.createTopics(List.of(topic)).all());
  }

  /** Deletes topics; those that do not exist are none of our business. */
  public void deleteTopics(Collection<String> names) {
    Map<String, KafkaFuture<Void>> deletions = admin.deleteTopics(names).topicNameValues();
    for (KafkaFuture<Void> deletion : deletions.values()) {
      try {
        await(deletion);
      } catch (UnknownTopicOrPartitionException e) {
        LOG.debug("nothing to delete: {}", e.getMessage());
      }
    }
  }

  /** Deletes consumer groups, as far as they can be. */
  public void deleteGroups(Collection<String> groups) {
    for (KafkaFuture<Void> deletion : admin.deleteConsumerGroups(groups).deletedGroups().values()) {
      try {
        await(deletion);
      } catch (KafkaException e) {
        LOG.debug("a group stays: {}", e.getMessage());
      }
    }
  }

  /** The broker that leads a partition, by the address that it advertises. */
  public Node leaderOf(TopicPartition partition) {
    return await(admin.describeTopics(List.of(partition.topic())).allTopicNames())
        .values()
        .iterator()
        .next()
        .partitions()
        .get(partition.partition())
        .leader();
  }

  /** The names of all topics. */
  public Set<String> topics() {
    return await(admin.listTopics().names());
  }

  /** The end of each partition, open transactions included. */
  public Map<TopicPartition, Long> endOffsets(String topic) {
    int count =
        await(admin.describeTopics(List.of(topic)).allTopicNames())
            .values()
            .iterator()
            .next()
            .partitions()
            .size();
    Map<TopicPartition, OffsetSpec> asked = new TreeMap<>(ORDER);
    for (int partition = 0; partition < count; partition++) {
      asked.put(new TopicPartition(topic, partition), OffsetSpec.latest());
    }
    Map<TopicPartition, Long> ends = new TreeMap<>(ORDER);
    await(admin.listOffsets(asked).all()).forEach((tp, info) -> ends.put(tp, info.offset()));
    return ends;
  }

  /** The sum of all partitions' ends: how many offsets the topic has handed out. */
  public long endOffsetSum(String topic) {
    return endOffsets(topic).values().stream().mapToLong(Long::longValue).sum();
  }

  /** The committed offsets of a group, whatever its open transactions have staged. */
  public Map<TopicPartition, Long> committed(String group) {
    return committed(group, new ListConsumerGroupOffsetsOptions());
  }

  /** The committed offsets of a group, once it has no transaction open. */
  public Map<TopicPartition, Long> settled(String group) {
    return committed(group, new ListConsumerGroupOffsetsOptions().requireStable(true));
  }

  private Map<TopicPartition, Long> committed(
      String group, ListConsumerGroupOffsetsOptions options) {
    Map<TopicPartition, Long> offsets = new TreeMap<>(ORDER);
    await(admin.listConsumerGroupOffsets(group, options).partitionsToOffsetAndMetadata())
        .forEach(
            (tp, offset) -> {
              if (offset != null) {
                offsets.put(tp, offset.offset());
              }
            });
    return offsets;
  }

  @Override
  public void close() {
    connection.close();
  }

  private <T> T await(KafkaFuture<T> future) {
    return connection.attempt(future);
  }
}
