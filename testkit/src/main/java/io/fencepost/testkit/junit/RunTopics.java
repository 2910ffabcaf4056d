package io.fencepost.testkit.junit;

import io.fencepost.streams.Job;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.LogEvents;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.prove.main.RunHistory;
import io.fencepost.testkit.prove.main.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** The topics of a run, past all faults: made, found to be empty, and filled with the input. */
final class RunTopics {
  private final TestCluster cluster;
  private final Duration patience;

  RunTopics(TestCluster cluster, Duration patience) {
    this.cluster = cluster;
    this.patience = patience;
  }

  /**
   * Those of the job and of what is given and wanted.
   *
   * @throws IllegalStateException if one of them is there and holds a record
   */
  void create(Job job, List<TopicContent> contents, int partitions) {
    TreeSet<String> topics = new TreeSet<>(job.sinkTopics());
    topics.addAll(job.sourceTopics());
    contents.forEach(it -> topics.add(it.topic()));
    if (job.deadLetterTopic() != null) {
      topics.add(job.deadLetterTopic());
    }
    try (PartitionReader reader = new PartitionReader(cluster.bootstrapServers(), false);
        Admin admin = ClusterClients.admin(cluster.bootstrapServers(), Map.of())) {
      TreeSet<String> there = new TreeSet<>(names(admin));
      for (String topic : topics) {
        if (!there.contains(topic)) {
          cluster.createTopic(topic, partitions);
          continue;
        }
        for (TopicPartition partition : reader.partitions(topic)) {
          if (reader.end(partition) > 0) {
            throw new IllegalStateException(
                "%s holds records already: exactly once is checked on topics that are empty at first"
                    .formatted(partition));
          }
        }
      }
    }
  }

  private static Set<String> names(Admin admin) {
    try {
      return admin.listTopics().names().get();
    } catch (ExecutionException e) {
      throw new KafkaException("topics could not be listed", e.getCause());
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private static KafkaException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new KafkaException("interrupted while exactly once was checked", e);
  }

  /** All partitions of these topics. */
  List<TopicPartition> partitions(List<TopicContent> contents) {
    TreeSet<String> topics = new TreeSet<>();
    contents.forEach(it -> topics.add(it.topic()));
    List<TopicPartition> partitions = new ArrayList<>();
    try (PartitionReader reader = new PartitionReader(cluster.bootstrapServers(), false)) {
      topics.forEach(topic -> partitions.addAll(reader.partitions(topic)));
    }
    return partitions;
  }

  /** Sends the input, by its keys or in turn, writes down where it stands, and returns that. */
  Map<TopicContent, List<String>> send(
      List<TopicContent> inputs, RecordTexts texts, RunHistory history) {
    IdentityHashMap<TopicContent, List<String>> places = new IdentityHashMap<>();
    try (KafkaProducer<byte[], byte[]> producer =
        ClusterClients.plain(cluster.bootstrapServers())) {
      for (TopicContent given : inputs) {
        int turn = 0;
        List<String> placed = new ArrayList<>();
        places.put(given, placed);
        int width = producer.partitionsFor(given.topic()).size();
        for (KeyValue<byte[], byte[]> record : given.records()) {
          Integer partition = record.key() == null ? Integer.valueOf(turn++ % width) : null;
          RecordMetadata sent =
              producer
                  .send(
                      new ProducerRecord<>(given.topic(), partition, record.key(), record.value()))
                  .get(patience.toMillis(), TimeUnit.MILLISECONDS);
          Topics.Line line =
              texts.line(
                  given.topic(), sent.partition(), sent.offset(), record.key(), record.value());
          String place = line.partition() + "@" + line.offset();
          placed.add(place);
          history.audited(
              new Event.Sent(
                  Event.plain(place),
                  LogEvents.parse(line.partition()),
                  line.text(),
                  Outcome.OK,
                  line.offset()));
        }
      }
      return places;
    } catch (ExecutionException | TimeoutException e) {
      throw new KafkaException("the input could not be sent", e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }
}
