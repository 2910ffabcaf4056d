package io.fencepost.txn.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.GroupSubscribedToTopicException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What consumers, producers and administrators see of groups; one text for every broker. */
abstract class AbstractGroupBehaviour {
  private static final Duration SLICE = Duration.ofMillis(50);
  private static final int PATIENCE = 400;

  String topic = "";
  String group = "";
  private final List<AutoCloseable> open = new ArrayList<>();

  abstract String bootstrap();

  @BeforeEach
  void createTopic() throws Exception {
    topic = "t-" + UUID.randomUUID();
    group = "g-" + UUID.randomUUID();
    try (Admin admin = admin()) {
      admin.createTopics(List.of(new NewTopic(topic, 6, (short) 1))).all().get();
    }
  }

  @AfterEach
  void closeClients() throws Exception {
    for (AutoCloseable client : open) {
      if (client instanceof KafkaConsumer<?, ?> consumer) {
        consumer.close(CloseOptions.timeout(Duration.ZERO));
      } else {
        client.close();
      }
    }
    open.clear();
  }

  Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", bootstrap()));
  }

  KafkaConsumer<String, String> consumer(Object... more) {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", bootstrap());
    config.put("group.id", group);
    config.put("auto.offset.reset", "earliest");
    config.put("enable.auto.commit", false);
    config.put("isolation.level", "read_committed");
    config.put("session.timeout.ms", 6_000);
    config.put("heartbeat.interval.ms", 200);
    for (int i = 0; i < more.length; i += 2) {
      config.put((String) more[i], more[i + 1]);
    }
    KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
    open.add(consumer);
    return consumer;
  }

  KafkaProducer<String, String> producer(String transactionalId) {
    KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap(), "transactional.id", transactionalId),
            new StringSerializer(),
            new StringSerializer());
    open.add(producer);
    producer.initTransactions();
    return producer;
  }

  /** Polls all until each has the number of partitions that is wanted for it. */
  static void settle(Map<KafkaConsumer<String, String>, Integer> shares) {
    for (int i = 0; i < PATIENCE; i++) {
      boolean settled = true;
      for (Map.Entry<KafkaConsumer<String, String>, Integer> share : shares.entrySet()) {
        share.getKey().poll(SLICE);
        settled &= share.getKey().assignment().size() == share.getValue();
      }
      if (settled) {
        return;
      }
    }
    Map<String, Object> seen = new TreeMap<>();
    shares.forEach((c, n) -> seen.put(c.groupMetadata().memberId(), c.assignment()));
    throw new AssertionError("not settled: " + seen);
  }

  void produce(int count) throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap()),
            new StringSerializer(),
            new StringSerializer())) {
      for (int i = 0; i < count; i++) {
        producer.send(new ProducerRecord<>(topic, 0, null, "v" + i)).get();
      }
    }
  }

  static List<String> read(KafkaConsumer<String, String> consumer, int count) {
    List<String> values = new ArrayList<>();
    for (int i = 0; i < PATIENCE && values.size() < count; i++) {
      for (ConsumerRecord<String, String> record : consumer.poll(SLICE)) {
        values.add(record.value());
      }
    }
    return values;
  }

  long committed() throws Exception {
    try (Admin admin = admin()) {
      OffsetAndMetadata offset =
          admin
              .listConsumerGroupOffsets(group)
              .partitionsToOffsetAndMetadata()
              .get()
              .get(new TopicPartition(topic, 0));
      return offset == null ? -1 : offset.offset();
    }
  }

  private ConsumerGroupDescription describe(Admin admin) throws Exception {
    return admin.describeConsumerGroups(List.of(group)).all().get().values().iterator().next();
  }

  @Test
  void three_members_share_and_take_over_when_one_leaves() {
    KafkaConsumer<String, String> a = consumer();
    KafkaConsumer<String, String> b = consumer();
    KafkaConsumer<String, String> c = consumer();
    for (KafkaConsumer<String, String> each : List.of(a, b, c)) {
      each.subscribe(List.of(topic));
    }
    settle(Map.of(a, 2, b, 2, c, 2));
    c.close();
    settle(Map.of(a, 3, b, 3));
  }

  @Test
  void cooperative_members_keep_what_they_have() {
    KafkaConsumer<String, String> a =
        consumer("partition.assignment.strategy", CooperativeStickyAssignor.class.getName());
    a.subscribe(List.of(topic));
    settle(Map.of(a, 6));
    Set<TopicPartition> before = a.assignment();
    KafkaConsumer<String, String> b =
        consumer("partition.assignment.strategy", CooperativeStickyAssignor.class.getName());
    b.subscribe(List.of(topic));
    settle(Map.of(a, 3, b, 3));
    assertThat(before).containsAll(a.assignment());
  }

  @Test
  void a_static_member_comes_back_without_a_rebalance() {
    KafkaConsumer<String, String> a = consumer("group.instance.id", "a");
    KafkaConsumer<String, String> b = consumer("group.instance.id", "b");
    a.subscribe(List.of(topic));
    b.subscribe(List.of(topic));
    settle(Map.of(a, 3, b, 3));
    int generation = a.groupMetadata().generationId();
    final Set<TopicPartition> share = b.assignment();
    b.close();
    KafkaConsumer<String, String> again = consumer("group.instance.id", "b");
    again.subscribe(List.of(topic));
    settle(Map.of(a, 3, again, 3));
    assertThat(again.assignment()).isEqualTo(share);
    assertThat(a.groupMetadata().generationId()).isEqualTo(generation);
  }

  @Test
  void a_group_goes_on_where_it_committed() throws Exception {
    produce(10);
    KafkaConsumer<String, String> first = consumer();
    first.subscribe(List.of(topic));
    assertThat(read(first, 10)).hasSize(10);
    TopicPartition partition = new TopicPartition(topic, 0);
    first.commitSync(Map.of(partition, new OffsetAndMetadata(4, Optional.of(0), "note")));
    first.seek(partition, 7);
    assertThat(read(first, 3)).containsExactly("v7", "v8", "v9");
    first.close();
    KafkaConsumer<String, String> second = consumer();
    second.subscribe(List.of(topic));
    assertThat(read(second, 6)).startsWith("v4").hasSize(6);
    assertThat(second.committed(Set.of(partition)).get(partition))
        .isEqualTo(new OffsetAndMetadata(4, Optional.of(0), "note"));
  }

  @Test
  void offsets_in_a_transaction_count_when_it_commits() throws Exception {
    produce(10);
    KafkaConsumer<String, String> consumer = consumer();
    consumer.subscribe(List.of(topic));
    read(consumer, 10);
    KafkaProducer<String, String> producer = producer("x-" + group);
    TopicPartition partition = new TopicPartition(topic, 0);
    for (long offset = 1; offset <= 6; offset++) {
      boolean commit = offset % 2 == 0;
      producer.beginTransaction();
      var unused = producer.send(new ProducerRecord<>(topic, 1, null, "out"));
      producer.sendOffsetsToTransaction(
          Map.of(partition, new OffsetAndMetadata(offset)), consumer.groupMetadata());
      if (commit) {
        producer.commitTransaction();
      } else {
        producer.abortTransaction();
      }
      long expected = commit ? offset : offset - 1;
      OffsetAndMetadata seen = consumer.committed(Set.of(partition)).get(partition);
      assertThat(seen == null ? 0 : seen.offset()).isEqualTo(expected);
    }
  }

  @Test
  void a_member_of_an_old_generation_cannot_commit_in_a_transaction() throws Exception {
    KafkaConsumer<String, String> zombie = consumer();
    zombie.subscribe(List.of(topic));
    settle(Map.of(zombie, 6));
    ConsumerGroupMetadata old = zombie.groupMetadata();
    KafkaConsumer<String, String> other = consumer();
    other.subscribe(List.of(topic));
    settle(Map.of(zombie, 3, other, 3));
    KafkaProducer<String, String> producer = producer("z-" + group);
    producer.beginTransaction();
    Map<TopicPartition, OffsetAndMetadata> offsets =
        Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(1));
    assertThatThrownBy(() -> producer.sendOffsetsToTransaction(offsets, old))
        .isInstanceOf(CommitFailedException.class);
    producer.abortTransaction();
    assertThat(committed()).isEqualTo(-1);
  }

  @Test
  void administrators_see_and_change_groups() throws Exception {
    KafkaConsumer<String, String> member = consumer("client.id", "someone");
    member.subscribe(List.of(topic));
    settle(Map.of(member, 6));
    TopicPartition partition = new TopicPartition(topic, 0);
    member.commitSync(Map.of(partition, new OffsetAndMetadata(3)));
    try (Admin admin = admin()) {
      ConsumerGroupDescription description = describe(admin);
      assertThat(description.groupState()).isEqualTo(GroupState.STABLE);
      assertThat(description.members()).hasSize(1);
      assertThat(description.members().iterator().next().clientId()).isEqualTo("someone");
      assertThat(description.members().iterator().next().assignment().topicPartitions()).hasSize(6);
      assertThat(admin.listGroups().all().get()).anyMatch(g -> g.groupId().equals(group));
      assertThatThrownBy(() -> admin.deleteConsumerGroups(List.of(group)).all().get())
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(GroupNotEmptyException.class);
      assertThatThrownBy(
              () -> admin.deleteConsumerGroupOffsets(group, Set.of(partition)).all().get())
          .hasCauseInstanceOf(GroupSubscribedToTopicException.class);
      member.close();
      admin
          .alterConsumerGroupOffsets(group, Map.of(partition, new OffsetAndMetadata(5)))
          .all()
          .get();
      assertThat(committed()).isEqualTo(5);
      admin.deleteConsumerGroupOffsets(group, Set.of(partition)).all().get();
      assertThat(committed()).isEqualTo(-1);
      admin.deleteConsumerGroups(List.of(group)).all().get();
      assertThat(admin.listGroups().all().get()).noneMatch(g -> g.groupId().equals(group));
    }
  }

  @Test
  void administrators_remove_static_members() throws Exception {
    KafkaConsumer<String, String> member = consumer("group.instance.id", "a");
    member.subscribe(List.of(topic));
    settle(Map.of(member, 6));
    member.close();
    try (Admin admin = admin()) {
      admin
          .removeMembersFromConsumerGroup(
              group, new RemoveMembersFromConsumerGroupOptions(Set.of(new MemberToRemove("a"))))
          .all()
          .get();
      assertThat(describe(admin).groupState()).isEqualTo(GroupState.EMPTY);
    }
  }

  @Test
  void offsets_go_with_their_topic() throws Exception {
    produce(1);
    KafkaConsumer<String, String> member = consumer();
    member.assign(List.of(new TopicPartition(topic, 0)));
    member.commitSync(Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(1)));
    member.close();
    assertThat(committed()).isEqualTo(1);
    try (Admin admin = admin()) {
      admin.deleteTopics(List.of(topic)).all().get();
    }
    for (int i = 0; i < PATIENCE && committed() >= 0; i++) {
      assertThat(committed()).isIn(1L, -1L);
    }
    assertThat(committed()).isEqualTo(-1);
  }
}
