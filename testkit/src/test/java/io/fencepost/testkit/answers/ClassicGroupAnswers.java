package io.fencepost.testkit.answers;

import static io.fencepost.testkit.answers.GroupTalk.by;
import static io.fencepost.testkit.answers.GroupTalk.classicJoining;
import static io.fencepost.testkit.answers.GroupTalk.syncing;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.message.JoinGroupRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Groups of the classic protocol, word by word. */
interface ClassicGroupAnswers extends Asked {
  private GroupTalk groups() {
    return new GroupTalk(talk());
  }

  private String refused(int version, Consumer<JoinGroupRequest> spoil) {
    JoinGroupRequest request = classicJoining(Talk.fresh("g"), "", talk().newTopic(1));
    spoil.accept(request);
    return groups().join(version, request).error();
  }

  @Test
  default void joins_that_make_no_sense() {
    assertThat(refused(7, r -> r.groupId = "")).isEqualTo("INVALID_GROUP_ID");
    assertThat(refused(7, r -> r.sessionTimeoutMs = 1)).isEqualTo("INVALID_SESSION_TIMEOUT");
    assertThat(refused(7, r -> r.sessionTimeoutMs = 1 << 30)).isEqualTo("INVALID_SESSION_TIMEOUT");
    assertThat(refused(7, r -> r.memberId = "stranger")).isEqualTo("UNKNOWN_MEMBER_ID");
    assertThat(refused(7, r -> r.protocolType = "")).isEqualTo("INCONSISTENT_GROUP_PROTOCOL");
    assertThat(refused(7, r -> r.protocols = new ArrayList<>()))
        .isEqualTo("INCONSISTENT_GROUP_PROTOCOL");
  }

  @Test
  default void a_dynamic_member_joins_twice_from_version_4_on() {
    Talk.Topic topic = talk().newTopic(1);
    assertThat(groups().join(3, classicJoining(Talk.fresh("g"), "", topic)))
        .hasToString("NONE generation 1 null/range leads true skips false members 1");
    assertThat(groups().join(7, classicJoining(Talk.fresh("g"), "", topic)))
        .hasToString(
            "MEMBER_ID_REQUIRED generation -1 null/null leads false skips false members 0");
    assertThat(groups().join(6, classicJoining(Talk.fresh("g"), "", topic)))
        .hasToString("MEMBER_ID_REQUIRED generation -1 null/ leads false skips false members 0");
    String group = Talk.fresh("g");
    assertThat(groups().joinTwice(group, topic))
        .hasToString("NONE generation 1 consumer/range leads true skips false members 1");
    assertThat(groups().listed(group, List.of(), List.of()))
        .isEqualTo("classic CompletingRebalance 'consumer'");
  }

  @Test
  default void a_member_syncs_beats_and_leaves() {
    Talk.Topic topic = talk().newTopic(1);
    String group = Talk.fresh("g");
    String member = groups().joinTwice(group, topic).memberId();
    assertThat(groups().describe(5, group)).isEqualTo("NONE CompletingRebalance 'consumer' '' 1");
    assertThat(groups().heartbeat(group, member, null, 1)).isEqualTo("NONE");
    assertThat(groups().commit(8, group, topic, by(member, 1))).isEqualTo("REBALANCE_IN_PROGRESS");
    assertThat(groups().sync(5, syncing(group, member, 2))).startsWith("ILLEGAL_GENERATION");
    assertThat(groups().sync(5, syncing(group, "stranger", 1))).startsWith("UNKNOWN_MEMBER_ID");
    assertThat(groups().sync(5, syncing(group, member, 1)))
        .isEqualTo("NONE consumer/range 3 bytes");
    assertThat(groups().sync(4, syncing(group, member, 1))).isEqualTo("NONE null/null 3 bytes");
    assertThat(groups().describe(5, group)).isEqualTo("NONE Stable 'consumer' 'range' 1");
    assertThat(groups().heartbeat(group, member, null, 0)).isEqualTo("ILLEGAL_GENERATION");
    assertThat(groups().heartbeat(group, "stranger", null, 1)).isEqualTo("UNKNOWN_MEMBER_ID");
    assertThat(groups().heartbeat("", member, null, 1)).isEqualTo("INVALID_GROUP_ID");
    assertThat(groups().commit(8, group, topic, by(member, 1))).isEqualTo("NONE");
    assertThat(groups().commit(8, group, topic, by(member, 2))).isEqualTo("ILLEGAL_GENERATION");
    assertThat(groups().commit(8, group, topic, by("", -1))).isEqualTo("UNKNOWN_MEMBER_ID");
    assertThat(groups().commit(8, group, topic, by("stranger", 1))).isEqualTo("UNKNOWN_MEMBER_ID");
    assertThat(groups().delete(group)).isEqualTo("NON_EMPTY_GROUP");
    assertThat(groups().deleteOffset(group, topic.name(), 0))
        .isEqualTo("GROUP_SUBSCRIBED_TO_TOPIC");
    assertThat(groups().leave(group, "stranger", null, member, null))
        .isEqualTo("NONE [UNKNOWN_MEMBER_ID, NONE]");
    assertThat(groups().describe(5, group)).isEqualTo("NONE Empty 'consumer' '' 0");
    assertThat(groups().deleteOffset(group, topic.name(), 0)).isEqualTo("NONE");
    assertThat(groups().deleteOffset(group, topic.name(), 7))
        .isEqualTo("UNKNOWN_TOPIC_OR_PARTITION");
    assertThat(groups().delete(group)).isEqualTo("NONE");
    assertThat(groups().delete(group)).isEqualTo("GROUP_ID_NOT_FOUND");
    assertThat(groups().deleteOffset(group, topic.name(), 0)).isEqualTo("group GROUP_ID_NOT_FOUND");
    assertThat(groups().describe(5, group)).isEqualTo("NONE Dead '' '' 0");
    assertThat(groups().describe(6, group)).isEqualTo("GROUP_ID_NOT_FOUND Dead '' '' 0");
  }

  @Test
  default void a_leader_that_joins_again_rebalances_and_a_pending_id_counts() {
    Talk.Topic topic = talk().newTopic(1);
    String group = Talk.fresh("g");
    String member = groups().joinTwice(group, topic).memberId();
    groups().sync(5, syncing(group, member, 1));
    assertThat(groups().join(7, classicJoining(group, member, topic)).generation()).isEqualTo(2);
    assertThat(groups().leave(group, "", null)).isEqualTo("NONE [UNKNOWN_MEMBER_ID]");
    String pending = groups().join(7, classicJoining(group, "", topic)).memberId();
    assertThat(groups().leave(group, pending, null)).isEqualTo("NONE [NONE]");
    assertThat(groups().leave(group, pending, null)).isEqualTo("NONE [UNKNOWN_MEMBER_ID]");
  }

  private JoinGroupRequest named(JoinGroupRequest request, String instanceId) {
    request.groupInstanceId = instanceId;
    return request;
  }

  @Test
  default void static_members_of_the_classic_protocol() {
    Talk.Topic topic = talk().newTopic(1);
    String group = Talk.fresh("g");
    String member = groups().join(7, named(classicJoining(group, "", topic), "one")).memberId();
    groups().sync(5, syncing(group, member, 1));
    assertThat(groups().join(7, named(classicJoining(group, "stranger", topic), "one")).error())
        .isEqualTo("FENCED_INSTANCE_ID");
    assertThat(groups().join(7, named(classicJoining(group, "stranger", topic), "two")).error())
        .isEqualTo("UNKNOWN_MEMBER_ID");
    GroupTalk.Joined again = groups().join(9, named(classicJoining(group, "", topic), "one"));
    assertThat(again)
        .hasToString("NONE generation 1 consumer/range leads true skips true members 1");
    assertThat(groups().heartbeat(group, member, "one", 1)).isEqualTo("FENCED_INSTANCE_ID");
    assertThat(groups().heartbeat(group, again.memberId(), "one", 1)).isEqualTo("NONE");
    assertThat(groups().heartbeat(group, again.memberId(), "two", 1))
        .isEqualTo("UNKNOWN_MEMBER_ID");
    assertThat(groups().leave(group, member, "one", "", "two"))
        .isEqualTo("NONE [FENCED_INSTANCE_ID, UNKNOWN_MEMBER_ID]");
    assertThat(groups().leave(group, "", "one")).isEqualTo("NONE [NONE]");
    assertThat(groups().describe(5, group)).isEqualTo("NONE Empty 'consumer' '' 0");
  }

  @Test
  default void groups_are_listed_by_state_and_type() {
    Talk.Topic topic = talk().newTopic(1);
    String group = Talk.fresh("g");
    groups().commit(8, group, topic, by("", -1));
    assertThat(groups().listed(group, List.of(), List.of())).isEqualTo("classic Empty ''");
    assertThat(groups().listed(group, List.of("empty"), List.of())).isEqualTo("classic Empty ''");
    assertThat(groups().listed(group, List.of("Stable"), List.of())).isEqualTo("not listed");
    assertThat(groups().listed(group, List.of("odd"), List.of())).isEqualTo("not listed");
    assertThat(groups().listed(group, List.of(), List.of("CLASSIC"))).isEqualTo("classic Empty ''");
    assertThat(groups().listed(group, List.of(), List.of("consumer"))).isEqualTo("not listed");
    assertThat(groups().listed(group, List.of(), List.of("odd"))).isEqualTo("not listed");
    assertThat(groups().describe(5, group)).isEqualTo("NONE Empty '' '' 0");
    assertThat(groups().deleteOffset(group, topic.name(), 0)).isEqualTo("NONE");
  }

  @Test
  default void commits_of_unknown_groups() {
    Talk.Topic topic = talk().newTopic(1);
    String group = Talk.fresh("g");
    assertThat(groups().commit(8, group, topic, by("m", 1))).isEqualTo("ILLEGAL_GENERATION");
    assertThat(groups().commit(9, group, topic, by("m", 1))).isEqualTo("GROUP_ID_NOT_FOUND");
    assertThat(groups().commit(8, "", topic, by("", -1))).isEqualTo(answerToACommitOfNoGroup());
    assertThat(groups().fetch(group, topic, null, -1)).isEqualTo("offset -1");
  }

  default String answerToACommitOfNoGroup() {
    return "NONE";
  }
}
