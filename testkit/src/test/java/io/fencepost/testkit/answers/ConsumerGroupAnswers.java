package io.fencepost.testkit.answers;

import static io.fencepost.testkit.answers.GroupTalk.beating;
import static io.fencepost.testkit.answers.GroupTalk.by;
import static io.fencepost.testkit.answers.GroupTalk.classicJoining;
import static io.fencepost.testkit.answers.GroupTalk.joining;
import static io.fencepost.testkit.answers.GroupTalk.owning;
import static io.fencepost.testkit.answers.GroupTalk.syncing;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.message.ConsumerGroupHeartbeatRequest;
import io.fencepost.testkit.answers.GroupTalk.Beat;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Groups of the newer protocol (KIP-848), word by word. */
interface ConsumerGroupAnswers extends Asked {
  private GroupTalk groups() {
    return new GroupTalk(talk());
  }

  private String refused(int version, String group, Consumer<ConsumerGroupHeartbeatRequest> spoil) {
    Talk.Topic topic = talk().newTopic(1);
    ConsumerGroupHeartbeatRequest request = joining(group, "m", topic);
    spoil.accept(request);
    return groups().beat(version, request).error();
  }

  @Test
  default void heartbeats_that_make_no_sense() {
    String group = Talk.fresh("g");
    assertThat(refused(1, group, r -> r.groupId = "")).isEqualTo("INVALID_REQUEST");
    assertThat(refused(1, group, r -> r.memberEpoch = -3)).isEqualTo("INVALID_REQUEST");
    assertThat(refused(1, group, r -> r.memberId = "")).isEqualTo("INVALID_REQUEST");
    assertThat(refused(1, group, r -> r.instanceId = "")).isEqualTo("INVALID_REQUEST");
    assertThat(refused(1, group, r -> r.rackId = "")).isEqualTo("INVALID_REQUEST");
    assertThat(refused(1, group, r -> r.rebalanceTimeoutMs = -1)).isEqualTo("INVALID_REQUEST");
    assertThat(refused(1, group, r -> r.topicPartitions = null)).isEqualTo("INVALID_REQUEST");
    assertThat(refused(1, group, r -> r.subscribedTopicNames = null)).isEqualTo("INVALID_REQUEST");
    assertThat(refused(1, group, r -> r.memberEpoch = -2)).isEqualTo("INVALID_REQUEST");
    assertThat(refused(1, group, r -> r.serverAssignor = "odd")).isEqualTo("UNSUPPORTED_ASSIGNOR");
    assertThat(refused(1, group, r -> r.subscribedTopicRegex = "(a"))
        .isEqualTo("INVALID_REGULAR_EXPRESSION");
    assertThat(groups().beat(1, beating(group, "m", 2)).error()).isEqualTo("GROUP_ID_NOT_FOUND");
    assertThat(groups().beat(1, beating(group, "m", -1)).error()).isEqualTo("GROUP_ID_NOT_FOUND");
  }

  @Test
  default void the_first_member_of_a_group() {
    Talk.Topic topic = talk().newTopic(3);
    String group = Talk.fresh("g");
    Beat joined = groups().beat(1, joining(group, "m", topic));
    assertThat(joined).hasToString("epoch 2 partitions 3");
    assertThat(joined.memberId()).isEqualTo("m");
    assertThat(groups().beat(1, beating(group, "m", 2))).hasToString("epoch 2 partitions -1");
    assertThat(groups().beat(1, owning(beating(group, "m", 2), topic, 0, 1, 2)))
        .hasToString("epoch 2 partitions -1");
    assertThat(groups().describeConsumers(group)).isEqualTo("Stable 2 2 uniform [type 1 epoch 2]");
    assertThat(groups().listed(group, List.of(), List.of()))
        .isEqualTo("consumer Stable 'consumer'");
    assertThat(groups().beat(1, beating(group, "m", -1))).hasToString("epoch -1 partitions -1");
    assertThat(groups().describeConsumers(group)).isEqualTo("Empty 3 3 uniform []");
  }

  @Test
  default void the_coordinator_chooses_an_id_in_version_0_only() {
    Talk.Topic topic = talk().newTopic(1);
    Beat joined = groups().beat(0, joining(Talk.fresh("g"), "", topic));
    assertThat(joined.error()).isEqualTo("NONE");
    assertThat(joined.memberId()).isNotBlank();
  }

  @Test
  default void epochs_of_members() {
    Talk.Topic topic = talk().newTopic(2);
    String group = Talk.fresh("g");
    groups().beat(1, joining(group, "a", topic));
    assertThat(groups().beat(1, beating(group, "nobody", 2)).error())
        .isEqualTo("UNKNOWN_MEMBER_ID");
    assertThat(groups().beat(1, beating(group, "nobody", -1)).error())
        .isEqualTo("UNKNOWN_MEMBER_ID");
    assertThat(groups().beat(1, beating(group, "a", 3)).error()).isEqualTo("FENCED_MEMBER_EPOCH");
    assertThat(groups().beat(1, joining(group, "b", topic))).hasToString("epoch 3 partitions 0");
    assertThat(groups().beat(1, beating(group, "a", 2))).hasToString("epoch 2 partitions 1");
    assertThat(groups().beat(1, beating(group, "b", 3))).hasToString("epoch 3 partitions -1");
    assertThat(groups().describeConsumers(group)).startsWith("Reconciling 3 3 uniform");
    assertThat(groups().beat(1, owning(beating(group, "a", 2), topic, 0)).epoch()).isEqualTo(3);
    assertThat(groups().beat(1, beating(group, "b", 3))).hasToString("epoch 3 partitions 1");
    assertThat(groups().beat(1, owning(beating(group, "a", 2), topic, 0)).epoch()).isEqualTo(3);
    assertThat(groups().beat(1, beating(group, "a", 2)).error()).isEqualTo("FENCED_MEMBER_EPOCH");
    assertThat(groups().beat(1, owning(beating(group, "a", 2), topic, 0, 1)).error())
        .isEqualTo("FENCED_MEMBER_EPOCH");
  }

  @Test
  default void a_member_that_joins_again() {
    Talk.Topic topic = talk().newTopic(2);
    String group = Talk.fresh("g");
    groups().beat(1, joining(group, "a", topic));
    assertThat(groups().beat(1, joining(group, "a", topic))).hasToString("epoch 2 partitions 2");
    groups().beat(1, joining(group, "b", topic));
    groups().beat(1, owning(beating(group, "a", 2), topic, 0));
    assertThat(groups().beat(1, joining(group, "a", topic))).hasToString("epoch 3 partitions 1");
  }

  private ConsumerGroupHeartbeatRequest named(
      ConsumerGroupHeartbeatRequest request, String instanceId) {
    request.instanceId = instanceId;
    return request;
  }

  @Test
  default void static_members_of_the_newer_protocol() {
    Talk.Topic topic = talk().newTopic(2);
    String group = Talk.fresh("g");
    assertThat(groups().beat(1, named(joining(group, "a", topic), "one")))
        .hasToString("epoch 2 partitions 2");
    assertThat(groups().beat(1, named(joining(group, "b", topic), "one")).error())
        .isEqualTo("UNRELEASED_INSTANCE_ID");
    assertThat(groups().beat(1, named(joining(group, "a", topic), "one")).error())
        .isEqualTo("UNRELEASED_INSTANCE_ID");
    assertThat(groups().beat(1, named(beating(group, "b", 2), "one")).error())
        .isEqualTo("FENCED_INSTANCE_ID");
    assertThat(groups().beat(1, named(beating(group, "b", -2), "one")).error())
        .isEqualTo("FENCED_INSTANCE_ID");
    assertThat(groups().beat(1, named(beating(group, "a", 2), "two")).error())
        .isEqualTo("UNKNOWN_MEMBER_ID");
    assertThat(groups().beat(1, named(beating(group, "a", -2), "one")))
        .hasToString("epoch -2 partitions -1");
    assertThat(groups().beat(1, named(joining(group, "b", topic), "one")))
        .hasToString("epoch 2 partitions 2");
    assertThat(groups().beat(1, named(beating(group, "a", 2), "one")).error())
        .isEqualTo("FENCED_INSTANCE_ID");
    assertThat(groups().beat(1, named(beating(group, "b", -1), "one")).error()).isEqualTo("NONE");
    assertThat(groups().describeConsumers(group)).startsWith("Empty");
  }

  @Test
  default void commits_of_members() {
    Talk.Topic topic = talk().newTopic(1);
    String group = Talk.fresh("g");
    groups().beat(1, joining(group, "a", topic));
    assertThat(groups().commit(9, group, topic, by("a", 2))).isEqualTo("NONE");
    assertThat(groups().commit(10, group, topic, by("a", 2))).isEqualTo("NONE");
    assertThat(groups().commit(8, group, topic, by("a", 2))).isEqualTo("UNSUPPORTED_VERSION");
    assertThat(groups().commit(9, group, topic, by("a", 1))).isEqualTo("STALE_MEMBER_EPOCH");
    assertThat(groups().commit(9, group, topic, by("a", 3))).isEqualTo("STALE_MEMBER_EPOCH");
    assertThat(groups().commit(9, group, topic, by("nobody", 2))).isEqualTo("UNKNOWN_MEMBER_ID");
    assertThat(groups().commit(9, group, topic, by("", -1))).isEqualTo("UNKNOWN_MEMBER_ID");
    assertThat(groups().fetch(group, topic, null, -1)).isEqualTo("offset 5");
    assertThat(groups().fetch(group, topic, "a", 2)).isEqualTo("offset 5");
    assertThat(groups().fetch(group, topic, "a", 1)).isEqualTo("STALE_MEMBER_EPOCH");
    assertThat(groups().fetch(group, topic, "nobody", 2)).isEqualTo("UNKNOWN_MEMBER_ID");
    assertThat(groups().fetch(Talk.fresh("unknown"), topic, "nobody", 2)).isEqualTo("offset -1");
    groups().beat(1, beating(group, "a", -1));
    assertThat(groups().commit(9, group, topic, by("", -1))).isEqualTo("NONE");
    assertThat(groups().commit(9, group, topic, by("a", 2))).isEqualTo("UNKNOWN_MEMBER_ID");
  }

  @Test
  default void an_older_epoch_commits_what_it_had_all_the_time() {
    Talk.Topic topic = talk().newTopic(1);
    String group = Talk.fresh("g");
    groups().beat(1, joining(group, "a", topic));
    groups().beat(1, joining(group, "b", topic));
    groups().beat(1, beating(group, "a", 2));
    groups().beat(1, owning(beating(group, "a", 2), topic, 0));
    assertThat(groups().describeConsumers(group)).contains("[type 1 epoch 3, type 1 epoch 3]");
    boolean isWithA = groups().commit(9, group, topic, by("b", 2)).equals("STALE_MEMBER_EPOCH");
    assertThat(groups().commit(9, group, topic, by("a", 2)))
        .isEqualTo(isWithA ? "NONE" : "STALE_MEMBER_EPOCH");
  }

  @Test
  default void groups_that_are_of_the_other_kind_or_none() {
    Talk.Topic topic = talk().newTopic(1);
    String consumers = Talk.fresh("g");
    groups().beat(1, joining(consumers, "a", topic));
    assertThat(groups().describe(5, consumers)).isEqualTo("NONE Dead '' '' 0");
    assertThat(groups().describe(6, consumers)).isEqualTo("GROUP_ID_NOT_FOUND Dead '' '' 0");
    String classic = Talk.fresh("g");
    groups().joinTwice(classic, topic);
    assertThat(groups().describeConsumers(classic)).isEqualTo("GROUP_ID_NOT_FOUND");
    assertThat(groups().describeConsumers(Talk.fresh("unknown"))).isEqualTo("GROUP_ID_NOT_FOUND");
    assertThat(groups().beat(1, beating(classic, "a", 2)).error()).isEqualTo("GROUP_ID_NOT_FOUND");
    assertThat(groups().heartbeat(consumers, "a", null, 1)).isEqualTo("UNKNOWN_MEMBER_ID");
    assertThat(groups().sync(5, syncing(consumers, "a", 1))).startsWith("UNKNOWN_MEMBER_ID");
    assertThat(groups().leave(consumers, "a", null)).isEqualTo("NONE [NONE]");
  }

  @Test
  default void a_classic_member_among_members_of_the_newer_protocol() {
    Talk.Topic topic = talk().newTopic(2);
    String group = Talk.fresh("g");
    groups().beat(1, joining(group, "a", topic));
    GroupTalk.Joined first = groups().join(7, classicJoining(group, "", topic));
    assertThat(first.error()).isEqualTo("MEMBER_ID_REQUIRED");
    String memberId = first.memberId();
    assertThat(groups().join(7, classicJoining(group, memberId, topic)))
        .hasToString("NONE generation 3 consumer/range leads false skips false members 0");
    assertThat(groups().sync(5, syncing(group, memberId, 3))).startsWith("NONE consumer/range");
    assertThat(groups().heartbeat(group, memberId, null, 3)).isEqualTo("NONE");
    assertThat(groups().heartbeat(group, memberId, null, 2)).isEqualTo("ILLEGAL_GENERATION");
    groups().beat(1, beating(group, "a", 2));
    groups().beat(1, owning(beating(group, "a", 2), topic, 0));
    groups().beat(1, owning(beating(group, "a", 2), topic, 1));
    assertThat(groups().heartbeat(group, memberId, null, 3)).isEqualTo("REBALANCE_IN_PROGRESS");
    assertThat(groups().join(7, classicJoining(group, memberId, topic)).generation()).isEqualTo(3);
    assertThat(groups().heartbeat(group, memberId, null, 3)).isEqualTo("NONE");
    assertThat(groups().commit(8, group, topic, by(memberId, 2))).isEqualTo("ILLEGAL_GENERATION");
    assertThat(groups().describeConsumers(group)).contains("type 0 epoch 3");
    assertThat(groups().leave(group, memberId, null)).isEqualTo("NONE [NONE]");
    assertThat(groups().describeConsumers(group)).endsWith("[type 1 epoch 3]");
  }
}
