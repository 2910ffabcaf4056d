package io.fencepost.testkit.groups;

import static io.fencepost.testkit.groups.GroupClients.done;
import static io.fencepost.testkit.groups.GroupClients.read;
import static io.fencepost.testkit.groups.GroupClients.settle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.GroupSubscribedToTopicException;
import org.apache.kafka.common.errors.InvalidRegularExpression;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;
import org.apache.kafka.common.errors.UnsupportedAssignorException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Consumers with {@code group.protocol=consumer} (KIP-848), those of the classic protocol, and
 * groups that go from one to the other.
 */
abstract class ConsumerProtocolBehaviour implements ClassicConsumers {
  /** Short times, on both brokers, so that tests need not wait for long ones. */
  static final SortedMap<String, String> SETTINGS = settings();

  private GroupClients clients;

  private static SortedMap<String, String> settings() {
    SortedMap<String, String> settings = new TreeMap<>();
    settings.put("group.consumer.min.heartbeat.interval.ms", "100");
    settings.put("group.consumer.heartbeat.interval.ms", "200");
    settings.put("group.consumer.min.session.timeout.ms", "1000");
    settings.put("group.consumer.session.timeout.ms", "3000");
    settings.put("group.consumer.assignment.interval.ms", "0");
    return settings;
  }

  abstract String bootstrap();

  @Override
  public GroupClients clients() {
    return clients;
  }

  @BeforeEach
  void open() {
    clients = new GroupClients(bootstrap());
  }

  @AfterEach
  void close() {
    clients.close();
  }

  @Test
  void one_member_reads_everything_and_the_next_goes_on_where_it_committed() {
    String topic = clients.topic(1);
    clients.produce(topic, 0, 10);
    KafkaConsumer<String, String> first = clients.consumer();
    first.subscribe(List.of(topic));
    assertThat(read(first, 10)).hasSize(10);
    first.commitSync(Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(4, "note")));
    clients.close(first);
    KafkaConsumer<String, String> second = clients.consumer();
    second.subscribe(List.of(topic));
    assertThat(read(second, 6)).startsWith("v4").hasSize(6);
  }

  @Test
  void members_come_and_go_one_after_the_other() {
    String topic = clients.topic(6);
    KafkaConsumer<String, String> a = clients.consumer();
    a.subscribe(List.of(topic));
    settle(6, a);
    Set<TopicPartition> before = Set.copyOf(a.assignment());
    KafkaConsumer<String, String> b = clients.consumer();
    b.subscribe(List.of(topic));
    settle(3, a, b);
    assertThat(before).as("sticky").containsAll(a.assignment());
    KafkaConsumer<String, String> c = clients.consumer();
    c.subscribe(List.of(topic));
    settle(2, a, b, c);
    clients.close(a);
    settle(3, b, c);
    clients.close(b);
    settle(6, c);
  }

  @Test
  void a_killed_member_is_out_after_its_session_and_cannot_commit_any_more() {
    String topic = clients.topic(4);
    KafkaConsumer<String, String> zombie = clients.consumer();
    KafkaConsumer<String, String> other = clients.consumer();
    zombie.subscribe(List.of(topic));
    other.subscribe(List.of(topic));
    settle(2, zombie, other);
    ConsumerGroupMetadata old = zombie.groupMetadata();
    TopicPartition stolen = zombie.assignment().iterator().next();
    clients.kill(zombie);
    settle(4, other);
    KafkaProducer<String, String> producer = clients.transactions("z-" + clients.group);
    producer.beginTransaction();
    assertThatThrownBy(
            () -> producer.sendOffsetsToTransaction(Map.of(stolen, new OffsetAndMetadata(1)), old))
        .isInstanceOf(CommitFailedException.class);
    producer.abortTransaction();
    assertThat(clients.committed(stolen)).isEqualTo(-1);
  }

  @Test
  void a_static_member_comes_back_to_what_it_had() {
    String topic = clients.topic(6);
    KafkaConsumer<String, String> a = clients.consumer("group.instance.id", "a");
    KafkaConsumer<String, String> b = clients.consumer("group.instance.id", "b");
    a.subscribe(List.of(topic));
    b.subscribe(List.of(topic));
    settle(3, a, b);
    int epoch = a.groupMetadata().generationId();
    Set<TopicPartition> share = Set.copyOf(b.assignment());
    clients.close(b);
    KafkaConsumer<String, String> again = clients.consumer("group.instance.id", "b");
    again.subscribe(List.of(topic));
    settle(3, a, again);
    assertThat(again.assignment()).isEqualTo(share);
    assertThat(a.groupMetadata().generationId()).isEqualTo(epoch);
  }

  @Test
  void an_instance_id_belongs_to_one_member() {
    String topic = clients.topic(1);
    KafkaConsumer<String, String> owner = clients.consumer("group.instance.id", "a");
    owner.subscribe(List.of(topic));
    settle(1, owner);
    KafkaConsumer<String, String> second = clients.consumer("group.instance.id", "a");
    second.subscribe(List.of(topic));
    assertThatThrownBy(() -> GroupClients.pollUntil("refused", () -> false, second))
        .isInstanceOf(UnreleasedInstanceIdException.class);
    settle(1, owner);
  }

  @Test
  void offsets_in_a_transaction_count_when_it_commits() {
    String topic = clients.topic(2);
    KafkaConsumer<String, String> consumer = clients.consumer();
    consumer.subscribe(List.of(topic));
    settle(2, consumer);
    KafkaProducer<String, String> producer = clients.transactions("x-" + clients.group);
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
      OffsetAndMetadata seen = consumer.committed(Set.of(partition)).get(partition);
      long expected = commit ? offset : offset - 1;
      assertThat(seen == null ? 0 : seen.offset()).isEqualTo(expected);
    }
  }

  @Test
  void partitions_that_are_added_and_topics_that_come_and_go_are_shared_out() {
    String topic = clients.topic(2);
    String later = "t-" + UUID.randomUUID();
    KafkaConsumer<String, String> a = clients.consumer();
    KafkaConsumer<String, String> b = clients.consumer();
    a.subscribe(List.of(topic, later));
    b.subscribe(List.of(topic, later));
    settle(1, a, b);
    done(clients.admin().createPartitions(Map.of(topic, NewPartitions.increaseTo(4))).all());
    settle(2, a, b);
    clients.topic(later, 2);
    settle(3, a, b);
    done(clients.admin().deleteTopics(List.of(topic)).all());
    settle(1, a, b);
  }

  @Test
  void a_pattern_finds_topics_old_and_new() {
    String stem = "p" + UUID.randomUUID().toString().substring(0, 8);
    clients.topic(stem + "-a", 2);
    clients.topic(stem + "-b", 2);
    clients.topic("x" + stem + "-c", 2);
    KafkaConsumer<String, String> member = clients.consumer();
    member.subscribe(new SubscriptionPattern(stem + "-[a-z]+"));
    settle(4, member);
    clients.topic(stem + "-d", 1);
    settle(5, member);
  }

  @Test
  void a_pattern_that_is_none_is_refused() {
    KafkaConsumer<String, String> member = clients.consumer();
    member.subscribe(new SubscriptionPattern("(a"));
    assertThatThrownBy(() -> GroupClients.pollUntil("refused", () -> false, member))
        .isInstanceOf(InvalidRegularExpression.class);
  }

  @Test
  void members_choose_the_assignor() {
    String one = clients.topic(2);
    String other = clients.topic(2);
    KafkaConsumer<String, String> a = clients.consumer("group.remote.assignor", "range");
    KafkaConsumer<String, String> b = clients.consumer("group.remote.assignor", "range");
    a.subscribe(List.of(one, other));
    b.subscribe(List.of(one, other));
    settle(2, a, b);
    for (KafkaConsumer<String, String> each : List.of(a, b)) {
      Set<Integer> numbers = new LinkedHashSet<>();
      each.assignment().forEach(partition -> numbers.add(partition.partition()));
      assertThat(numbers).as("co-partitioned").hasSize(1);
    }
    assertThat(describe().partitionAssignor()).isEqualTo("range");
    KafkaConsumer<String, String> odd = clients.consumer("group.remote.assignor", "odd");
    odd.subscribe(List.of(one));
    assertThatThrownBy(() -> GroupClients.pollUntil("refused", () -> false, odd))
        .isInstanceOf(UnsupportedAssignorException.class);
  }

  private ConsumerGroupDescription describe() {
    return done(clients.admin().describeConsumerGroups(List.of(clients.group)).all())
        .get(clients.group);
  }

  @Test
  void administrators_see_and_change_groups() {
    String topic = clients.topic(3);
    KafkaConsumer<String, String> member = clients.consumer("client.id", "someone");
    member.subscribe(List.of(topic));
    settle(3, member);
    TopicPartition partition = new TopicPartition(topic, 0);
    member.commitSync(Map.of(partition, new OffsetAndMetadata(3)));
    ConsumerGroupDescription described = describe();
    assertThat(described.type()).isEqualTo(GroupType.CONSUMER);
    assertThat(described.groupState()).isEqualTo(GroupState.STABLE);
    MemberDescription seen = described.members().iterator().next();
    assertThat(seen.clientId()).isEqualTo("someone");
    assertThat(seen.assignment().topicPartitions()).hasSize(3);
    assertThat(seen.targetAssignment().orElseThrow().topicPartitions()).hasSize(3);
    assertThat(seen.upgraded()).contains(true);
    assertThat(done(clients.admin().listGroups(ListGroupsOptions.forConsumerGroups()).all()))
        .anyMatch(
            listed ->
                listed.groupId().equals(clients.group)
                    && listed.type().orElseThrow() == GroupType.CONSUMER
                    && listed.protocol().equals("consumer"));
    assertThat(
            done(
                clients
                    .admin()
                    .listGroups(new ListGroupsOptions().withTypes(Set.of(GroupType.CLASSIC)))
                    .all()))
        .noneMatch(listed -> listed.groupId().equals(clients.group));
    assertThatThrownBy(() -> deleteGroup()).hasCauseInstanceOf(GroupNotEmptyException.class);
    assertThatThrownBy(() -> deleteOffset(partition))
        .hasCauseInstanceOf(GroupSubscribedToTopicException.class);
    assertThatThrownBy(() -> alterOffset(partition, 5))
        .hasCauseInstanceOf(UnknownMemberIdException.class);
    clients.close(member);
    assertThat(describe().groupState()).isEqualTo(GroupState.EMPTY);
    alterOffset(partition, 5);
    assertThat(clients.committed(partition)).isEqualTo(5);
    deleteOffset(partition);
    assertThat(clients.committed(partition)).isEqualTo(-1);
    deleteGroup();
    assertThat(done(clients.admin().listGroups().all()))
        .noneMatch(listed -> listed.groupId().equals(clients.group));
  }

  private void deleteGroup() {
    done(clients.admin().deleteConsumerGroups(List.of(clients.group)).all());
  }

  private void deleteOffset(TopicPartition partition) {
    done(clients.admin().deleteConsumerGroupOffsets(clients.group, Set.of(partition)).all());
  }

  private void alterOffset(TopicPartition partition, long offset) {
    done(
        clients
            .admin()
            .alterConsumerGroupOffsets(
                clients.group, Map.of(partition, new OffsetAndMetadata(offset)))
            .all());
  }

  @Test
  void an_empty_group_changes_its_protocol_and_keeps_its_offsets() {
    String topic = clients.topic(1);
    clients.produce(topic, 0, 10);
    TopicPartition partition = new TopicPartition(topic, 0);
    for (int turn = 0; turn < 4; turn++) {
      boolean isNewer = turn % 2 == 1;
      KafkaConsumer<String, String> member = isNewer ? clients.consumer() : clients.classic();
      member.subscribe(List.of(topic));
      assertThat(read(member, 1)).startsWith("v" + turn);
      member.commitSync(Map.of(partition, new OffsetAndMetadata(turn + 1)));
      assertThat(describe().type()).isEqualTo(isNewer ? GroupType.CONSUMER : GroupType.CLASSIC);
      clients.close(member);
    }
  }

  @Test
  void members_go_over_to_the_newer_protocol_one_after_the_other() {
    String topic = clients.topic(6);
    KafkaConsumer<String, String> a = clients.classic();
    KafkaConsumer<String, String> b = clients.classic();
    a.subscribe(List.of(topic));
    b.subscribe(List.of(topic));
    settle(3, a, b);
    KafkaConsumer<String, String> newer = clients.consumer();
    newer.subscribe(List.of(topic));
    settle(2, a, b, newer);
    assertThat(describe().type()).isEqualTo(GroupType.CONSUMER);
    for (KafkaConsumer<String, String> each : List.of(a, b, newer)) {
      each.commitSync(Map.of(each.assignment().iterator().next(), new OffsetAndMetadata(0)));
    }
    clients.close(a);
    KafkaConsumer<String, String> second = clients.consumer();
    second.subscribe(List.of(topic));
    settle(2, b, newer, second);
    clients.close(b);
    settle(3, newer, second);
    newer.commitSync(Map.of(newer.assignment().iterator().next(), new OffsetAndMetadata(7)));
    assertThat(describe().type()).isEqualTo(GroupType.CONSUMER);
  }

  @Test
  void members_go_back_to_the_classic_protocol_one_after_the_other() {
    String topic = clients.topic(6);
    KafkaConsumer<String, String> a = clients.consumer();
    KafkaConsumer<String, String> b = clients.consumer();
    a.subscribe(List.of(topic));
    b.subscribe(List.of(topic));
    settle(3, a, b);
    KafkaConsumer<String, String> classic = clients.classic();
    classic.subscribe(List.of(topic));
    settle(2, a, b, classic);
    clients.close(a);
    settle(3, b, classic);
    KafkaConsumer<String, String> second = clients.classic();
    second.subscribe(List.of(topic));
    settle(2, b, classic, second);
    clients.close(b);
    settle(3, classic, second);
    assertThat(describe().type()).isEqualTo(GroupType.CLASSIC);
    classic.commitSync(Map.of(classic.assignment().iterator().next(), new OffsetAndMetadata(7)));
  }

  @Test
  void static_members_go_over_and_keep_what_they_have() {
    String topic = clients.topic(4);
    KafkaConsumer<String, String> a = clients.classic("group.instance.id", "a");
    KafkaConsumer<String, String> b = clients.classic("group.instance.id", "b");
    a.subscribe(List.of(topic));
    b.subscribe(List.of(topic));
    settle(2, a, b);
    clients.kill(a);
    KafkaConsumer<String, String> newer = clients.consumer("group.instance.id", "a");
    newer.subscribe(List.of(topic));
    settle(2, newer, b);
    assertThat(describe().members()).hasSize(2);
    clients.close(newer);
    KafkaConsumer<String, String> again = clients.classic("group.instance.id", "a");
    again.subscribe(List.of(topic));
    settle(2, again, b);
    assertThat(describe().type()).isEqualTo(GroupType.CLASSIC);
  }
}
