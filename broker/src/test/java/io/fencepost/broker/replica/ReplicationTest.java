package io.fencepost.broker.replica;

import static io.fencepost.broker.replica.ReplicaFixture.idempotent;
import static io.fencepost.broker.replica.ReplicaFixture.plain;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.wire.WireError;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReplicationTest {
  private Trio trio = new Trio(FlushPolicy.OS, 1, 1);

  private void isReplicated(long end) {
    for (int id : trio.brokers.keySet()) {
      assertThat(trio.gate(id).logEndOffset()).as("log end of %d", id).isEqualTo(end);
      assertThat(trio.gate(id).highWatermark()).as("HW of %d", id).isEqualTo(end);
    }
    byte[] first = trio.bytes(trio.brokers.firstKey(), end);
    for (int id : trio.brokers.keySet()) {
      assertThat(trio.bytes(id, end)).isEqualTo(first);
    }
  }

  @ParameterizedTest
  @EnumSource
  void L8_all_replicas_have_what_is_acknowledged(FlushPolicy flush) {
    trio = new Trio(flush, 2, 1);
    List<AppendResult> first = trio.send(plain(3), -1);
    List<AppendResult> second = trio.send(idempotent(9, 0, 0, 4), 1);
    trio.settle();
    assertThat(first.get(0).baseOffset()).isZero();
    assertThat(second.get(0).baseOffset()).isEqualTo(3);
    isReplicated(7);
  }

  @Test
  void acks_1_is_answered_before_the_followers_have_it_and_acks_all_after() {
    trio.links.cut(1, 2);
    List<AppendResult> one = trio.send(plain(1), 1);
    List<AppendResult> all = trio.send(plain(1), -1);
    trio.settle();
    assertThat(one).hasSize(1);
    assertThat(all).isEmpty();
    assertThat(trio.leader().highWatermark()).isZero();
    trio.links.mend(1, 2);
    trio.settle();
    assertThat(all).hasSize(1);
    isReplicated(2);
  }

  @Test
  void an_acknowledged_write_with_acks_1_is_lost_when_its_leader_fails_before_replication() {
    trio.links.cut(1, 2);
    trio.links.cut(1, 3);
    assertThat(trio.send(plain(1), 1).get(0).isOk()).isTrue();
    trio.kill(1, true);
    trio.elect(2, 2, 3);
    assertThat(trio.leader().logEndOffset()).isZero();
    trio.links.mend(1, 2);
    trio.start(1);
    trio.send(plain(2), -1);
    trio.runFor(100);
    isReplicated(2);
    assertThat(trio.state.isr()).containsExactlyInAnyOrder(1, 2, 3);
  }

  @Test
  void a_follower_that_lags_leaves_the_isr_and_comes_back_when_it_has_caught_up() {
    trio.links.cut(1, 3);
    List<AppendResult> waiting = trio.send(plain(1), -1);
    trio.runFor(500);
    assertThat(waiting).isEmpty();
    trio.runFor(1_500);
    assertThat(trio.state.isr()).containsExactly(1, 2);
    assertThat(waiting.get(0).isOk()).isTrue();
    trio.links.mend(1, 3);
    trio.runFor(1_000);
    assertThat(trio.state.isr()).containsExactly(1, 2, 3);
    isReplicated(1);
  }

  @Test
  void an_idle_follower_that_is_cut_off_leaves_the_isr_too_and_an_idle_connected_one_stays() {
    trio.send(plain(1), -1);
    trio.links.cut(1, 3);
    trio.runFor(5_000);
    assertThat(trio.state.isr()).containsExactly(1, 2);
  }

  @Test
  void min_isr_refuses_before_the_append() {
    trio = new Trio(FlushPolicy.OS, 2, 1);
    trio.elect(1, 1);
    trio.links.cut(1, 2);
    trio.links.cut(1, 3);
    trio.elect(1, 1);
    assertThat(trio.send(plain(1), -1).get(0).error()).isEqualTo(WireError.NOT_ENOUGH_REPLICAS);
    assertThat(trio.send(plain(1), 1).get(0).isOk()).isTrue();
    assertThat(trio.leader().highWatermark()).isZero();
  }

  @Test
  void too_few_replicas_after_the_append_are_told_and_the_retry_is_a_duplicate_on_the_new_leader() {
    trio = new Trio(FlushPolicy.OS, 3, 1);
    trio.links.cut(1, 3);
    List<AppendResult> sent = trio.send(idempotent(9, 0, 0, 2), -1);
    trio.runFor(2_000);
    assertThat(sent.get(0).error()).isEqualTo(WireError.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
    trio.links.mend(1, 3);
    trio.runFor(1_000);
    trio.elect(2, 1, 2, 3);
    List<AppendResult> retried = trio.send(idempotent(9, 0, 0, 2), -1);
    trio.settle();
    assertThat(retried.get(0).isOk()).isTrue();
    assertThat(retried.get(0).baseOffset()).isZero();
    isReplicated(2);
  }

  @Test
  void a_deposed_leader_that_went_on_writing_is_cut_to_the_common_point() {
    trio.send(plain(2), -1);
    trio.links.cut(1, 2);
    trio.links.cut(1, 3);
    trio.links.cut(1, 0);
    trio.send(1, plain(5), 1);
    List<AppendResult> neverCommitted = trio.send(1, plain(1), -1);
    trio.elect(2, 2, 3);
    trio.send(2, plain(1), -1);
    trio.elect(3, 2, 3);
    trio.send(3, plain(1), -1);
    assertThat(trio.gate(1).logEndOffset()).isEqualTo(8);
    trio.links.mend(1, 2);
    trio.links.mend(1, 3);
    trio.links.mend(1, 0);
    trio.publish(trio.state);
    trio.runFor(1_000);
    assertThat(neverCommitted.get(0).error()).isEqualTo(WireError.NOT_LEADER_OR_FOLLOWER);
    isReplicated(4);
    assertThat(trio.state.isr()).containsExactly(1, 2, 3);
  }

  @Test
  void a_leader_that_is_cut_off_from_all_commits_nothing() {
    trio.links.cut(1, 2);
    trio.links.cut(1, 3);
    trio.acceptsProposals = false;
    List<AppendResult> sent = trio.send(plain(1), -1);
    trio.runFor(5_000);
    assertThat(sent).isEmpty();
    assertThat(trio.refused).isNotEmpty();
    assertThat(trio.leader().highWatermark()).isZero();
  }

  @Test
  void a_replica_that_comes_back_with_an_empty_disk_gets_everything_again() {
    trio.send(plain(10), -1);
    trio.kill(3, false);
    trio.publish(new PartitionState(0, 1, 0, List.of(1, 2, 3), List.of(1, 2)));
    trio.send(plain(10), -1);
    trio.disks.put(3, new SimDisk(trio.entropy.named("new disk")));
    trio.start(3);
    trio.runFor(500);
    assertThat(trio.state.isr()).containsExactly(1, 2, 3);
    isReplicated(20);
  }

  @Test
  void a_leader_that_does_not_know_yet_what_is_committed_does_not_say_where_the_log_ends() {
    trio.send(plain(3), -1);
    trio.settle();
    for (int id = 1; id <= 3; id++) {
      trio.kill(id, true);
    }
    trio.start(1);
    trio.elect(1, 1, 2, 3);
    assertThat(trio.gate(1).offsetFor(-1, Isolation.HIGH_WATERMARK, -1).error())
        .isEqualTo(WireError.OFFSET_NOT_AVAILABLE);
    trio.start(2);
    trio.start(3);
    trio.settle();
    trio.runFor(1_000);
    OffsetAnswer end = trio.gate(1).offsetFor(-1, Isolation.HIGH_WATERMARK, -1);
    assertThat(end.error()).isEqualTo(WireError.NONE);
    assertThat(end.offset()).isEqualTo(3);
  }

  @Test
  void a_leader_whose_disk_is_full_hands_over_to_one_in_sync_and_not_if_there_is_none() {
    trio.send(plain(1), -1);
    trio.settle();
    trio.disks.get(1).fill(0);
    assertThat(trio.send(plain(1), -1).get(0).error()).isEqualTo(WireError.KAFKA_STORAGE_ERROR);
    trio.settle();
    int next = trio.state.leader();
    assertThat(next).isNotEqualTo(1);
    List<AppendResult> results = trio.send(plain(1), -1);
    trio.runFor(2 * Trio.LAG_MS);
    assertThat(results.get(0).isOk()).isTrue();
    assertThat(trio.state.isr()).doesNotContain(1);
    trio.disks.get(1).free();
    trio.runFor(2 * Trio.LAG_MS);
    isReplicated(2);
    trio.links.cut(next, 1);
    trio.links.cut(next, 5 - next);
    trio.elect(next, next);
    int term = trio.state.leaderEpoch();
    trio.disks.get(next).fill(0);
    assertThat(trio.send(plain(1), 1).get(0).error()).isEqualTo(WireError.KAFKA_STORAGE_ERROR);
    trio.settle();
    assertThat(trio.state.leaderEpoch()).isEqualTo(term);
    assertThat(trio.refused).isEmpty();
  }

  @Test
  void a_leader_whose_first_append_fails_hands_over_and_follows() {
    trio.send(plain(1), -1);
    trio.settle();
    trio.elect(2, 1, 2, 3);
    trio.disks.get(2).failNextAppend();
    assertThat(trio.send(plain(1), -1).get(0).isOk()).isFalse();
    trio.settle();
    assertThat(trio.state.leader()).isNotEqualTo(2);
    trio.send(plain(1), -1);
    trio.runFor(3 * Trio.LAG_MS);
    isReplicated(2);
    assertThat(trio.state.isr()).containsExactlyInAnyOrder(1, 2, 3);
  }

  @Test
  void a_leader_whose_disk_fails_hands_over_and_follows_with_nothing_lost() {
    trio = new Trio(FlushPolicy.GROUP, 2, 1);
    trio.send(plain(2), -1);
    trio.settle();
    trio.disks.get(1).failNextForce();
    List<AppendResult> failed = trio.send(plain(1), -1);
    trio.runFor(500);
    assertThat(failed.get(0).isOk()).isFalse();
    assertThat(trio.state.leader()).isNotEqualTo(1);
    List<AppendResult> sent = trio.send(plain(1), -1);
    trio.runFor(1_000);
    assertThat(sent.get(0).isOk()).isTrue();
    isReplicated(trio.leader().logEndOffset());
    assertThat(trio.state.isr()).containsExactlyInAnyOrder(1, 2, 3);
  }
}
