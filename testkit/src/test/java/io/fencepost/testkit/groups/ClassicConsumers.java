package io.fencepost.testkit.groups;

import static io.fencepost.testkit.groups.GroupClients.done;
import static io.fencepost.testkit.groups.GroupClients.read;
import static io.fencepost.testkit.groups.GroupClients.settle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Consumers with {@code group.protocol=classic}, the default of all clients so far. */
interface ClassicConsumers {
  String STRATEGY = "partition.assignment.strategy";

  GroupClients clients();

  private KafkaConsumer<String, String> member(String topic, Object... settings) {
    KafkaConsumer<String, String> member = clients().classic(settings);
    member.subscribe(List.of(topic));
    return member;
  }

  @Test
  default void three_members_share_and_take_over_when_one_leaves() {
    String topic = clients().topic(6);
    KafkaConsumer<String, String> a = member(topic);
    KafkaConsumer<String, String> b = member(topic);
    KafkaConsumer<String, String> c = member(topic);
    settle(2, a, b, c);
    clients().close(c);
    settle(3, a, b);
  }

  @Test
  default void cooperative_members_give_up_only_what_another_gets() {
    String topic = clients().topic(6);
    List<TopicPartition> lost = new ArrayList<>();
    KafkaConsumer<String, String> a =
        clients().classic(STRATEGY, CooperativeStickyAssignor.class.getName());
    a.subscribe(
        List.of(topic),
        new ConsumerRebalanceListener() {
          @Override
          public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            lost.addAll(partitions);
          }

          @Override
          public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}
        });
    settle(6, a);
    KafkaConsumer<String, String> b =
        member(topic, STRATEGY, CooperativeStickyAssignor.class.getName());
    settle(3, a, b);
    assertThat(lost).hasSameElementsAs(b.assignment());
    clients().close(b);
    settle(6, a);
    assertThat(lost).hasSize(3);
  }

  @Test
  default void a_group_goes_over_to_cooperative_members_one_after_the_other() {
    String topic = clients().topic(4);
    List<String> both =
        List.of(CooperativeStickyAssignor.class.getName(), RangeAssignor.class.getName());
    KafkaConsumer<String, String> old = member(topic, STRATEGY, RangeAssignor.class.getName());
    KafkaConsumer<String, String> bridge = member(topic, STRATEGY, both);
    settle(2, old, bridge);
    clients().close(old);
    KafkaConsumer<String, String> second = member(topic, STRATEGY, both);
    settle(2, bridge, second);
    clients().close(bridge);
    KafkaConsumer<String, String> newer =
        member(topic, STRATEGY, CooperativeStickyAssignor.class.getName());
    settle(2, second, newer);
  }

  @Test
  default void a_static_member_of_a_classic_group_comes_back_without_a_rebalance() {
    String topic = clients().topic(6);
    KafkaConsumer<String, String> a = member(topic, "group.instance.id", "a");
    KafkaConsumer<String, String> b = member(topic, "group.instance.id", "b");
    settle(3, a, b);
    int generation = a.groupMetadata().generationId();
    Set<TopicPartition> share = Set.copyOf(b.assignment());
    clients().close(b);
    KafkaConsumer<String, String> again = member(topic, "group.instance.id", "b");
    settle(3, a, again);
    assertThat(again.assignment()).isEqualTo(share);
    assertThat(a.groupMetadata().generationId()).isEqualTo(generation);
    KafkaConsumer<String, String> usurper = member(topic, "group.instance.id", "b");
    settle(3, a, usurper);
    assertThatThrownBy(() -> GroupClients.pollUntil("fenced", () -> false, again))
        .isInstanceOf(FencedInstanceIdException.class);
    clients().close(usurper);
    done(
        clients()
            .admin()
            .removeMembersFromConsumerGroup(
                clients().group,
                new RemoveMembersFromConsumerGroupOptions(Set.of(new MemberToRemove("b"))))
            .all());
    settle(6, a);
  }

  @Test
  default void a_killed_member_of_a_classic_group_is_out_after_its_session() {
    String topic = clients().topic(4);
    KafkaConsumer<String, String> dying = member(topic);
    KafkaConsumer<String, String> other = member(topic);
    settle(2, dying, other);
    clients().kill(dying);
    settle(4, other);
    assertThat(
            done(clients().admin().describeConsumerGroups(List.of(clients().group)).all())
                .get(clients().group)
                .groupState())
        .isEqualTo(GroupState.STABLE);
  }

  @Test
  default void a_member_of_an_old_generation_cannot_commit_in_a_transaction() {
    String topic = clients().topic(6);
    KafkaConsumer<String, String> zombie = member(topic);
    settle(6, zombie);
    ConsumerGroupMetadata old = zombie.groupMetadata();
    KafkaConsumer<String, String> other = member(topic);
    settle(3, zombie, other);
    KafkaProducer<String, String> producer = clients().transactions("z-" + clients().group);
    producer.beginTransaction();
    TopicPartition partition = new TopicPartition(topic, 0);
    assertThatThrownBy(
            () ->
                producer.sendOffsetsToTransaction(Map.of(partition, new OffsetAndMetadata(1)), old))
        .isInstanceOf(CommitFailedException.class);
    producer.abortTransaction();
    assertThat(clients().committed(partition)).isEqualTo(-1);
  }

  @Test
  default void a_commit_comes_back_whole_to_the_next_member() {
    String topic = clients().topic(1);
    clients().produce(topic, 0, 10);
    TopicPartition partition = new TopicPartition(topic, 0);
    OffsetAndMetadata noted = new OffsetAndMetadata(4, Optional.of(0), "note");
    KafkaConsumer<String, String> first = member(topic);
    assertThat(read(first, 10)).hasSize(10);
    first.commitSync(Map.of(partition, noted));
    clients().close(first);
    KafkaConsumer<String, String> second = member(topic);
    assertThat(read(second, 6)).startsWith("v4").hasSize(6);
    assertThat(second.committed(Set.of(partition))).containsEntry(partition, noted);
  }

  @Test
  default void offsets_go_with_their_topic() {
    String topic = clients().topic(1);
    TopicPartition partition = new TopicPartition(topic, 0);
    KafkaConsumer<String, String> member = clients().classic();
    member.assign(List.of(partition));
    member.commitSync(Map.of(partition, new OffsetAndMetadata(1)));
    assertThat(clients().committed(partition)).isEqualTo(1);
    done(clients().admin().deleteTopics(List.of(topic)).all());
    Awaitility.await()
        .pollInterval(50, TimeUnit.MILLISECONDS)
        .until(() -> clients().committed(partition) == -1);
  }
}
