package io.fencepost.testkit.answers;

import static io.fencepost.testkit.answers.GroupTalk.beating;
import static io.fencepost.testkit.answers.GroupTalk.by;
import static io.fencepost.testkit.answers.GroupTalk.classicJoining;
import static io.fencepost.testkit.answers.GroupTalk.joining;
import static io.fencepost.testkit.answers.GroupTalk.owning;
import static io.fencepost.testkit.answers.GroupTalk.syncing;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.message.ConsumerGroupHeartbeatRequest;
import io.fencepost.broker.wire.message.IncrementalAlterConfigsRequest.AlterableConfig;
import io.fencepost.broker.wire.message.JoinGroupRequest;
import io.fencepost.broker.wire.message.TxnOffsetCommitRequest;
import io.fencepost.testkit.answers.GroupTalk.Beat;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Groups of the newer protocol (KIP-848), word by word. */
interface ConsumerGroupAnswers extends Asked {
  private GroupTalk groups() {
    return new GroupTalk(talk());
  }

  private String refused(int version, String group, Consumer<ConsumerGroupHeartbeatRequest> spoil) {
    Talk.Topic topic = groups().newTopic(1);
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
    Talk.Topic topic = groups().newTopic(3);
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
    Talk.Topic topic = groups().newTopic(1);
    Beat joined = groups().beat(0, joining(Talk.fresh("g"), "", topic));
    assertThat(joined.error()).isEqualTo("NONE");
    assertThat(joined.memberId()).isNotBlank();
  }

  @Test
  default void epochs_of_members() {
    Talk.Topic topic = groups().newTopic(2);
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
    Talk.Topic topic = groups().newTopic(2);
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
    Talk.Topic topic = groups().newTopic(2);
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
    Talk.Topic topic = groups().newTopic(1);
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
    Talk.Topic topic = groups().newTopic(1);
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
    Talk.Topic topic = groups().newTopic(1);
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
    Talk.Topic topic = groups().newTopic(2);
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

  @Test
  default void a_member_stages_offsets_at_its_own_epoch_only() {
    Talk.Topic topic = groups().newTopic(1);
    String group = Talk.fresh("g");
    Producer producer = txn().newProducer();
    txn().addOffsets(3, producer, group);
    groups().beat(1, joining(group, "a", topic));
    for (int version = 3; version <= 6; version++) {
      assertThat(stage(version, producer, group, topic, "a", 2)).isEqualTo("NONE");
      assertThat(stage(version, producer, group, topic, "a", 1))
          .isEqualTo(answerToAStaleEpoch(version));
      assertThat(stage(version, producer, group, topic, "a", 3))
          .isEqualTo(answerToAStaleEpoch(version));
      assertThat(stage(version, producer, group, topic, "nobody", 2))
          .isEqualTo("UNKNOWN_MEMBER_ID");
      assertThat(stage(version, producer, group, topic, "", -1)).isEqualTo("NONE");
    }
    txn().end(3, producer, false);
  }

  private static String answerToAStaleEpoch(int version) {
    return version < 6 ? "ILLEGAL_GENERATION" : "STALE_MEMBER_EPOCH";
  }

  private String stage(
      int version, Producer producer, String group, Talk.Topic topic, String memberId, int epoch) {
    TxnOffsetCommitRequest request = TxnTalk.staging(producer, group, topic, 1);
    request.memberId = memberId;
    request.generationIdOrMemberEpoch = epoch;
    request.topics.get(0).topicId = topic.id();
    return TxnTalk.patiently(() -> txn().stage(version, request));
  }

  @Test
  default void a_classic_member_keeps_the_bounds_of_classic_groups() {
    Talk.Topic topic = groups().newTopic(1);
    String group = Talk.fresh("g");
    groups().beat(1, joining(group, "a", topic));
    for (int sessionMs : List.of(1, 99, 1 << 30)) {
      JoinGroupRequest request = classicJoining(group, "", topic);
      request.sessionTimeoutMs = sessionMs;
      assertThat(groups().join(7, request).error()).isEqualTo("INVALID_SESSION_TIMEOUT");
    }
    JoinGroupRequest odd = classicJoining(group, "", topic);
    odd.protocolType = "connect";
    assertThat(groups().join(7, odd).error()).isEqualTo("INCONSISTENT_GROUP_PROTOCOL");
    JoinGroupRequest none = classicJoining(group, "", topic);
    none.protocols.clear();
    assertThat(groups().join(7, none).error()).isEqualTo("INCONSISTENT_GROUP_PROTOCOL");
    JoinGroupRequest brief = classicJoining(group, "", topic);
    brief.sessionTimeoutMs = 100;
    brief.memberId = groups().join(7, brief).memberId();
    assertThat(groups().join(7, brief).error()).isEqualTo("NONE");
    assertThat(groups().describeConsumers(group)).contains("type 0");
    String left =
        TxnTalk.until(() -> groups().describeConsumers(group), text -> !text.contains("type 0"));
    assertThat(left).endsWith("[type 1 epoch 2]");
    assertThat(groups().beat(1, beating(group, "a", 2)).error()).isEqualTo("NONE");
  }

  @Test
  default void who_does_not_give_up_its_partitions_in_time_is_out() {
    Talk.Topic topic = groups().newTopic(2);
    String group = Talk.fresh("g");
    ConsumerGroupHeartbeatRequest slow = joining(group, "slow", topic);
    slow.rebalanceTimeoutMs = Crew.SHORT_MS;
    groups().beat(1, slow);
    groups().beat(1, joining(group, "b", topic));
    assertThat(groups().beat(1, beating(group, "slow", 2)))
        .as("told to give one up")
        .hasToString("epoch 2 partitions 1");
    assertThat(groups().assignedPartitions(group)).as("as long as it has it").isEqualTo(2);
    String error =
        TxnTalk.until(
            () -> groups().beat(1, beating(group, "slow", 2)).error(), "UNKNOWN_MEMBER_ID"::equals);
    assertThat(error).isEqualTo("UNKNOWN_MEMBER_ID");
    assertThat(groups().beat(1, beating(group, "b", 3))).hasToString("epoch 4 partitions 2");
  }

  private void setTimes(String group, String heartbeatMs, String sessionMs) {
    List<AlterableConfig> times =
        List.of(
            SettingTalk.change(SettingTalk.SET, "consumer.heartbeat.interval.ms", heartbeatMs),
            SettingTalk.change(SettingTalk.SET, "consumer.session.timeout.ms", sessionMs));
    assertThat(new SettingTalk(talk()).alter(SettingTalk.GROUP, group, times)).isEqualTo("NONE");
  }

  @Test
  default void a_static_member_that_left_for_a_while_is_out_after_its_session() {
    Talk.Topic topic = groups().newTopic(1);
    String group = Talk.fresh("g");
    setTimes(group, "100", "500");
    groups().beat(1, named(joining(group, "a", topic), "one"));
    TxnTalk.until(
        () -> "" + groups().beatInterval(named(beating(group, "a", 2), "one")), "100"::equals);
    groups().beat(1, named(beating(group, "a", -2), "one"));
    assertThat(groups().describeConsumers(group)).endsWith("[type 1 epoch -2]");
    String state =
        TxnTalk.until(() -> groups().describeConsumers(group), text -> text.startsWith("Empty"));
    assertThat(state).isEqualTo("Empty 3 3 uniform []");
  }

  /** The only member keeps beating; patterns are resolved some time. */
  private void awaitAssigned(
      String group, int partitions, UnaryOperator<ConsumerGroupHeartbeatRequest> claim) {
    String wanted = "Stable with " + partitions;
    String seen =
        TxnTalk.until(
            () -> {
              groups().beat(1, claim.apply(beating(group, "a", epoch(group))));
              String state = groups().describeConsumers(group).split(" ")[0];
              return state + " with " + groups().assignedPartitions(group);
            },
            wanted::equals);
    assertThat(seen).isEqualTo(wanted);
  }

  private int epoch(String group) {
    String[] words = groups().describeConsumers(group).split(" ");
    return Integer.parseInt(words[words.length - 1].replace("]", ""));
  }

  @Test
  default void a_member_may_subscribe_by_pattern_and_by_name_and_change_its_mind() {
    Talk.Topic topic = groups().newTopic(1);
    String group = Talk.fresh("g");
    ConsumerGroupHeartbeatRequest join = joining(group, "a", topic);
    Talk.Topic other = groups().newTopic(2);
    join.subscribedTopicRegex = other.name() + "|none.*";
    assertThat(groups().beat(1, join).error()).isEqualTo("NONE");
    awaitAssigned(group, 3, beat -> beat);
    ConsumerGroupHeartbeatRequest byPattern = beating(group, "a", epoch(group));
    byPattern.subscribedTopicNames = new ArrayList<>();
    assertThat(groups().beat(1, byPattern).error()).isEqualTo("NONE");
    awaitAssigned(group, 2, beat -> owning(beat, other, 0, 1));
    ConsumerGroupHeartbeatRequest nothing = beating(group, "a", epoch(group));
    nothing.subscribedTopicRegex = "";
    assertThat(groups().beat(1, nothing).error()).isEqualTo("NONE");
    awaitAssigned(group, 0, beat -> owning(beat, other));
    ConsumerGroupHeartbeatRequest bad = beating(group, "a", epoch(group));
    bad.subscribedTopicRegex = "[";
    assertThat(groups().beat(1, bad).error()).isEqualTo("INVALID_REGULAR_EXPRESSION");
    ConsumerGroupHeartbeatRequest odd = beating(group, "a", epoch(group));
    odd.serverAssignor = "odd";
    assertThat(groups().beat(1, odd).error()).isEqualTo("UNSUPPORTED_ASSIGNOR");
  }

  /** A lone member with no partitions, to which its assignor tells something else. */
  private void share(Crew crew, byte... userData) {
    ClassicMember member = crew.member();
    ByteBuffer share = ByteBuffer.allocate(2 + 4 + 4 + userData.length);
    share.putShort((short) 0).putInt(0).putInt(userData.length == 0 ? -1 : userData.length);
    member.share = share.put(userData).array();
    crew.gather(member);
    assertThat(member.sync(member)).startsWith("share");
  }

  @Test
  default void a_classic_group_that_is_not_of_consumers_or_cannot_be_read_stays_classic() {
    try (Crew connect = new Crew(this::connect);
        Crew odd = new Crew(this::connect);
        Crew custom = new Crew(this::connect);
        Crew plain = new Crew(this::connect)) {
      ClassicMember worker = connect.member();
      worker.type = "connect";
      connect.form(worker);
      odd.form(odd.member());
      share(custom, (byte) 7);
      share(plain);
      for (Crew crew : List.of(connect, odd, custom)) {
        assertThat(groups().beat(1, joining(crew.group, "a", crew.topic)).error())
            .isEqualTo("GROUP_ID_NOT_FOUND");
        assertThat(crew.state()).isEqualTo("Stable 1");
      }
      assertThat(groups().beat(1, joining(plain.group, "a", plain.topic)).error())
          .isEqualTo("NONE");
      worker.leave();
      assertThat(groups().beat(1, joining(connect.group, "a", connect.topic)).error())
          .as("nobody is there any more")
          .isEqualTo("NONE");
    }
  }

  @Test
  default void a_classic_member_stages_offsets_at_its_own_generation_only() {
    Talk.Topic topic = groups().newTopic(1);
    String group = Talk.fresh("g");
    Producer producer = txn().newProducer();
    txn().addOffsets(3, producer, group);
    groups().beat(1, joining(group, "a", topic));
    String memberId = groups().joinTwice(group, topic).memberId();
    for (int version = 3; version <= 6; version++) {
      assertThat(stage(version, producer, group, topic, memberId, 3)).isEqualTo("NONE");
      assertThat(stage(version, producer, group, topic, memberId, 2))
          .isEqualTo("ILLEGAL_GENERATION");
    }
    txn().end(3, producer, false);
  }
}
