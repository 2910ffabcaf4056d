package io.fencepost.testkit.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.testkit.campaign.client.Recorder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;

/** Two members of a group of the newer protocol, who read and commit all the while. */
final class GroupMembers {
  private static final String GROUP = "tellers";
  private static final int COUNT = 2;
  private static final Duration SLICE = Duration.ofMillis(100);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final String bootstrap;
  private final String topic;
  private final Recorder recorder;
  private final List<Thread> threads = new ArrayList<>();

  /** The highest offset by partition whose commit was acknowledged. */
  private final Map<Integer, Long> acknowledged = new TreeMap<>();

  private volatile boolean stopping;

  GroupMembers(String bootstrap, String topic, Recorder recorder) {
    this.bootstrap = bootstrap;
    this.topic = topic;
    this.recorder = recorder;
  }

  void start() {
    for (int i = 0; i < COUNT; i++) {
      String name = "teller-" + i;
      Thread thread =
          new Thread(
              () -> {
                try {
                  work();
                } catch (RuntimeException e) {
                  recorder.trouble(name + ": " + e);
                }
              },
              name);
      thread.start();
      threads.add(thread);
    }
  }

  private void work() {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", bootstrap);
    config.put("group.id", GROUP);
    config.put("group.protocol", "consumer");
    config.put("auto.offset.reset", "earliest");
    config.put("enable.auto.commit", false);
    config.put("reconnect.backoff.max.ms", 100);
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of(topic));
      while (!stopping) {
        consumer.poll(SLICE);
        commit(consumer);
      }
    }
  }

  private void commit(KafkaConsumer<String, String> consumer) {
    Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
    for (TopicPartition partition : consumer.assignment()) {
      positions.put(partition, new OffsetAndMetadata(consumer.position(partition, PATIENCE)));
    }
    try {
      consumer.commitSync(positions, PATIENCE);
    } catch (CommitFailedException movedOn) {
      // Whoever has the partition now goes on where the last good commit was.
      return;
    }
    synchronized (acknowledged) {
      positions.forEach(
          (partition, position) ->
              acknowledged.merge(partition.partition(), position.offset(), Math::max));
    }
  }

  /** All partitions have come to one member each, and what was committed is there. */
  void finish(int partitions) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      Awaitility.await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> assertThat(shares(admin)).containsExactlyInAnyOrderElementsOf(all(partitions)));
      stopping = true;
      for (Thread thread : threads) {
        thread.join();
      }
      Map<TopicPartition, OffsetAndMetadata> committed =
          admin.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata().get();
      assertThat(acknowledged).hasSize(partitions);
      acknowledged.forEach(
          (partition, offset) ->
              assertThat(committed.get(new TopicPartition(topic, partition)).offset())
                  .as("committed in partition %d", partition)
                  .isGreaterThanOrEqualTo(offset));
    }
  }

  private List<TopicPartition> all(int partitions) {
    List<TopicPartition> all = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      all.add(new TopicPartition(topic, i));
    }
    return all;
  }

  private static List<TopicPartition> shares(Admin admin)
      throws ExecutionException, InterruptedException {
    ConsumerGroupDescription group =
        admin.describeConsumerGroups(List.of(GROUP)).describedGroups().get(GROUP).get();
    assertThat(group.type()).isEqualTo(GroupType.CONSUMER);
    assertThat(group.groupState()).isEqualTo(GroupState.STABLE);
    assertThat(group.members()).hasSize(COUNT);
    List<TopicPartition> shares = new ArrayList<>();
    group.members().forEach(member -> shares.addAll(member.assignment().topicPartitions()));
    return shares;
  }
}
