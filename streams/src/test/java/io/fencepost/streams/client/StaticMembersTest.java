package io.fencepost.streams.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.fencepost.streams.JobStartException;
import io.fencepost.streams.task.FailureClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsResult;
import org.apache.kafka.clients.admin.MemberAssignment;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupResult;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

class StaticMembersTest {
  private static final List<String> TWO = List.of("j-i-0", "j-i-1");

  private final Admin admin = mock(Admin.class);
  private final List<String> removed = new ArrayList<>();

  @Test
  void in_a_classic_group_workers_take_over_and_those_that_are_no_more_are_removed() {
    group(GroupType.CLASSIC, "j-i-0", "j-i-2", "j-other-1", "j-i-x-3");
    answerRemovals(KafkaFuture.completedFuture(null));
    StaticMembers members = new StaticMembers(admin, "j", TWO, false);
    assertThat(members.seat("j-i-0").take()).isTrue();
    assertThat(members.seat("j-i-1").take()).isFalse();
    assertThat(removed).containsExactly("j-i-2");
    assertThat(members.inherited()).containsExactly(new TopicPartition("in-of-j-i-0", 0));
  }

  @Test
  void members_of_the_consumer_protocol_are_removed_before_or_after_a_change_of_protocol() {
    answerRemovals(KafkaFuture.completedFuture(null));
    group(GroupType.CONSUMER, "j-i-0");
    assertThat(new StaticMembers(admin, "j", TWO, false).seat("j-i-0").take()).isFalse();
    assertThat(removed).containsExactly("j-i-0");
    group(GroupType.CLASSIC, "j-i-1");
    assertThat(new StaticMembers(admin, "j", TWO, true).seat("j-i-1").take()).isFalse();
    assertThat(removed).containsExactly("j-i-0", "j-i-1");
  }

  @Test
  void a_group_that_is_not_there_has_left_nothing_behind() {
    describe(failed(new GroupIdNotFoundException("none")));
    assertThat(new StaticMembers(admin, "j", TWO, true).seat("j-i-0").take()).isFalse();
    assertThat(removed).isEmpty();
  }

  @Test
  void one_that_cannot_be_removed_is_asked_for_again_until_its_session_ends() {
    group(GroupType.CONSUMER, "j-i-0");
    answerRemovals(failed(new UnknownMemberIdException("not by this broker")));
    StaticMembers members = new StaticMembers(admin, "j", TWO, true);
    assertThatThrownBy(() -> members.seat("j-i-0").take())
        .hasMessageContaining("j-i-0")
        .satisfies(e -> assertThat(FailureClass.of(e)).isEqualTo(FailureClass.RETRY));
    group(GroupType.CONSUMER);
    assertThat(members.seat("j-i-0").take()).isFalse();
  }

  @Test
  void leaving_removes_the_worker_alone_and_says_if_nobody_answers() {
    answerRemovals(KafkaFuture.completedFuture(null));
    StaticMembers members = new StaticMembers(admin, "j", TWO, true);
    members.seat("j-i-1").leave(1_000);
    assertThat(removed).containsExactly("j-i-1");
    answerRemovals(new KafkaFutureImpl<>());
    assertThatThrownBy(() -> members.seat("j-i-1").leave(0))
        .hasMessageContaining("j-i-1")
        .hasMessageContaining("when its session times out");
    answerRemovals(failed(new UnknownMemberIdException("gone")));
    members.seat("j-i-1").leave(1_000);
  }

  @Test
  void a_name_that_no_broker_takes_is_refused_with_what_to_change() {
    String longId = "j-" + "i".repeat(250) + "-0";
    assertThatThrownBy(() -> new StaticMembers(admin, "j", List.of(longId), false))
        .isInstanceOf(JobStartException.class)
        .hasMessageContaining("instance.id");
  }

  private void group(GroupType type, String... instanceIds) {
    List<MemberDescription> members = new ArrayList<>();
    for (String id : instanceIds) {
      MemberDescription member = mock(MemberDescription.class);
      when(member.groupInstanceId()).thenReturn(Optional.of(id));
      TopicPartition input = new TopicPartition("in-of-" + id, 0);
      when(member.assignment()).thenReturn(new MemberAssignment(Set.of(input)));
      members.add(member);
    }
    MemberDescription dynamic = mock(MemberDescription.class);
    when(dynamic.groupInstanceId()).thenReturn(Optional.empty());
    members.add(dynamic);
    ConsumerGroupDescription group = mock(ConsumerGroupDescription.class);
    when(group.members()).thenReturn(members);
    when(group.type()).thenReturn(type);
    describe(KafkaFuture.completedFuture(group));
  }

  private void describe(KafkaFuture<ConsumerGroupDescription> group) {
    DescribeConsumerGroupsResult result = mock(DescribeConsumerGroupsResult.class);
    when(result.describedGroups()).thenReturn(Map.of("j", group));
    when(admin.describeConsumerGroups(any(), any())).thenReturn(result);
  }

  private void answerRemovals(KafkaFuture<Void> answer) {
    when(admin.removeMembersFromConsumerGroup(
            eq("j"), any(RemoveMembersFromConsumerGroupOptions.class)))
        .thenAnswer(
            call -> {
              RemoveMembersFromConsumerGroupOptions options = call.getArgument(1);
              for (MemberToRemove member : options.members()) {
                removed.add(member.groupInstanceId());
              }
              RemoveMembersFromConsumerGroupResult result =
                  mock(RemoveMembersFromConsumerGroupResult.class);
              when(result.memberResult(any())).thenReturn(answer);
              return result;
            });
  }

  private static <T> KafkaFuture<T> failed(RuntimeException error) {
    KafkaFutureImpl<T> future = new KafkaFutureImpl<>();
    future.completeExceptionally(error);
    return future;
  }
}
