package io.fencepost.txn.group.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HeartbeatsTest {
  private GroupTable table = new GroupTable();
  private final Uuid topic = table.topics.topic("t", 4);

  private PartitionSet share(int... partitions) {
    PartitionSet.Builder share = new PartitionSet.Builder();
    for (int partition : partitions) {
      share.add(topic, partition);
    }
    return share.build();
  }

  private MemberProgress progress(String memberId) {
    return table.group.member(memberId).progress();
  }

  @Test
  void the_first_member_gets_everything_at_once() {
    HeartbeatAnswer answer = table.join("a", "t");
    assertThat(answer.error()).isEqualTo(WireError.NONE);
    assertThat(answer.memberEpoch()).isEqualTo(2);
    assertThat(answer.assignment()).isEqualTo(share(0, 1, 2, 3));
    assertThat(table.group.state()).isEqualTo(ConsumerGroupState.STABLE);
  }

  @Test
  void a_heartbeat_without_news_logs_nothing_and_says_nothing() {
    table.join("a", "t");
    int before = table.log.size();
    assertThat(table.beat("a", 2, null).assignment()).isNull();
    assertThat(table.log).hasSize(before);
  }

  @Test
  void a_partition_goes_from_hand_to_hand_through_nobody() {
    table.join("a", "t");
    HeartbeatAnswer joined = table.join("b", "t");
    assertThat(joined.assignment()).isEqualTo(PartitionSet.EMPTY);
    assertThat(joined.memberEpoch()).isEqualTo(3);
    assertThat(progress("b").phase()).isEqualTo(MemberPhase.UNRELEASED);

    HeartbeatAnswer told = table.beat("a", 2, null);
    PartitionSet kept = told.assignment();
    assertThat(kept.size()).isEqualTo(2);
    assertThat(told.memberEpoch()).isEqualTo(2);
    assertThat(progress("a").phase()).isEqualTo(MemberPhase.UNREVOKED);
    assertThat(table.beat("b", 3, null).assignment()).as("not free yet").isNull();
    assertThat(table.group.state()).isEqualTo(ConsumerGroupState.RECONCILING);

    assertThat(table.beat("a", 2, kept).memberEpoch()).as("has given up").isEqualTo(3);
    assertThat(table.beat("b", 3, null).assignment().size()).isEqualTo(2);
    assertThat(table.group.state()).isEqualTo(ConsumerGroupState.STABLE);
  }

  @Test
  void a_member_that_does_not_say_what_it_has_has_not_given_up() {
    table.join("a", "t");
    table.join("b", "t");
    table.beat("a", 2, null);
    assertThat(table.beat("a", 2, null).memberEpoch()).isEqualTo(2);
    assertThat(table.beat("a", 2, share(0, 1, 2, 3)).memberEpoch()).isEqualTo(2);
  }

  @Test
  void a_member_that_missed_an_answer_is_welcome_with_its_previous_epoch() {
    table.join("a", "t");
    table.join("b", "t");
    PartitionSet kept = table.beat("a", 2, null).assignment();
    table.beat("a", 2, kept);
    assertThat(table.beat("a", 2, kept).error()).isEqualTo(WireError.NONE);
    assertThat(table.beat("a", 2, share(0, 1, 2, 3)).error())
        .as("it may not have revoked")
        .isEqualTo(WireError.FENCED_MEMBER_EPOCH);
    assertThat(table.beat("a", 2, null).error()).isEqualTo(WireError.FENCED_MEMBER_EPOCH);
    assertThat(table.beat("a", 4, kept).error()).isEqualTo(WireError.FENCED_MEMBER_EPOCH);
    assertThat(table.beat("nobody", 2, kept).error()).isEqualTo(WireError.UNKNOWN_MEMBER_ID);
  }

  @Test
  void what_a_member_leaves_behind_goes_to_the_others() {
    table.join("a", "t");
    table.join("b", "t");
    assertThat(table.leave("a").memberEpoch()).isEqualTo(-1);
    assertThat(table.leave("a").error()).isEqualTo(WireError.UNKNOWN_MEMBER_ID);
    assertThat(table.group.state()).isEqualTo(ConsumerGroupState.ASSIGNING);
    assertThat(table.beat("b", 3, null).assignment()).isEqualTo(share(0, 1, 2, 3));
    assertThat(table.group.epoch()).isEqualTo(4);
    table.leave("b");
    assertThat(table.group.state()).isEqualTo(ConsumerGroupState.EMPTY);
    assertThat(table.join("c", "t").memberEpoch()).as("epochs go on").isEqualTo(6);
  }

  @Test
  void a_static_member_comes_back_under_another_id_to_what_it_had() {
    table.send(GroupTable.joining("a", "one", "t"));
    table.send(GroupTable.joining("b", "two", "t"));
    PartitionSet kept = table.send(GroupTable.beating("a", 2, "one", null)).assignment();
    table.send(GroupTable.beating("a", 2, "one", kept));
    assertThat(table.send(GroupTable.joining("c", "one", "t")).error())
        .isEqualTo(WireError.UNRELEASED_INSTANCE_ID);
    assertThat(table.send(GroupTable.beating("a", -2, "one", null)).memberEpoch()).isEqualTo(-2);
    int epoch = table.group.epoch();
    HeartbeatAnswer back = table.send(GroupTable.joining("c", "one", "t"));
    assertThat(back.assignment()).isEqualTo(kept);
    assertThat(back.memberEpoch()).isEqualTo(epoch);
    assertThat(table.group.epoch()).as("nothing to share out anew").isEqualTo(epoch);
    assertThat(table.group.member("a")).isNull();
    assertThat(table.send(GroupTable.beating("a", epoch, "one", kept)).error())
        .isEqualTo(WireError.FENCED_INSTANCE_ID);
  }

  @Test
  void a_full_group_takes_its_own_members_only() {
    table = new GroupTable(GroupTable.settings(1));
    table.topics.topic("t", 4);
    table.join("a", "t");
    assertThat(table.join("b", "t").error()).isEqualTo(WireError.GROUP_MAX_SIZE_REACHED);
    assertThat(table.beat("a", 2, null).error()).isEqualTo(WireError.NONE);
  }

  @Test
  void topics_that_grow_come_and_go_raise_the_epoch() {
    table.join("a", "t", "later");
    assertThat(table.group.epoch()).isEqualTo(2);
    table.topics.topic("t", 5);
    assertThat(table.beat("a", 2, null).assignment().size()).isEqualTo(5);
    table.topics.topic("later", 2);
    assertThat(table.beat("a", 3, null).assignment().size()).isEqualTo(7);
    table.topics.topic("other", 2);
    assertThat(table.beat("a", 4, null).assignment()).isNull();
    table.topics.delete("t");
    PartitionSet left = table.beat("a", 4, null).assignment();
    assertThat(left.size()).isEqualTo(2);
    assertThat(table.beat("a", 4, left).memberEpoch()).isEqualTo(5);
  }

  @Test
  void a_pattern_matches_what_is_there_and_what_comes() {
    table.topics.topic("pay-a", 1);
    TopicRegex regex = TopicRegex.of("pay-.", table.topics);
    assertThat(table.send(joiningBy("a", regex)).assignment().size()).isEqualTo(1);
    table.topics.topic("pay-b", 1);
    assertThat(table.beat("a", 2, null).assignment()).isNull();
    Draft draft = new Draft(table.group);
    table.heartbeats.rematch(
        draft, List.of(TopicRegex.of("pay-.", table.topics)), table.topics, 2_000);
    table.commit(draft);
    assertThat(table.beat("a", 2, null).assignment().size()).isEqualTo(2);
    table.leave("a");
    assertThat(table.group.patterns()).isEmpty();
  }

  @Test
  void a_pattern_that_is_none_is_refused_and_changes_nothing() {
    HeartbeatAnswer answer = table.send(joiningBy("a", TopicRegex.of("(a", table.topics)));
    assertThat(answer.error()).isEqualTo(WireError.INVALID_REGULAR_EXPRESSION);
    assertThat(answer.message()).contains("(a");
    assertThat(table.log).isEmpty();
  }

  private static ConsumerHeartbeat joiningBy(String memberId, @Nullable TopicRegex regex) {
    return new ConsumerHeartbeat(
        memberId,
        0,
        null,
        null,
        GroupTable.REBALANCE_MS,
        "client",
        "/host",
        GroupTable.names(),
        regex,
        null,
        PartitionSet.EMPTY);
  }

  @Test
  void a_group_that_ends_leaves_nothing_in_its_log() {
    table.join("a", "t");
    table.leave("a");
    Draft draft = new Draft(table.group);
    draft.end();
    table.commit(draft);
    assertThat(table.group.exists()).isFalse();
    assertThat(table.replayed().exists()).isFalse();
    assertThat(table.replayed().members()).isEmpty();
  }
}
