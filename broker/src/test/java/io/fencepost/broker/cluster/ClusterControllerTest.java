package io.fencepost.broker.cluster;

import static io.fencepost.broker.cluster.ClusterFixture.T0;
import static io.fencepost.broker.cluster.ClusterFixture.accept;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.cluster.ConfigChange.Operation;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Brokers that go and come, and who leads then. The rules themselves: {@link ElectionsTest}. */
class ClusterControllerTest {
  private final ClusterFixture cluster = ClusterFixture.running();

  private static void assertState(
      PartitionState state, int leader, int epoch, List<Integer> isr, List<Integer> eligible) {
    assertThat(state.leader()).isEqualTo(leader);
    assertThat(state.leaderEpoch()).isEqualTo(epoch);
    assertThat(state.isr()).isEqualTo(isr);
    assertThat(state.eligible()).isEqualTo(eligible);
  }

  @Test
  void others_lead_when_a_broker_is_fenced_and_it_follows_when_it_is_back() {
    cluster.createAssigned(2, Map.of("min.insync.replicas", "2"));
    cluster.kill(1);
    assertThat(cluster.controller.fence(1, false)).isEqualTo(WireError.NONE);
    assertState(cluster.t0(), 2, 1, List.of(2, 3), List.of());
    assertThat(cluster.controller.state().brokers().keySet()).containsExactly(2, 3);
    assertThat(cluster.controller.state().controllerId()).isEqualTo(2);
    assertThat(cluster.controller.fence(2, false)).isEqualTo(WireError.NONE);
    assertState(cluster.t0(), 3, 2, List.of(3), List.of(2));
    cluster.start(1);
    assertState(cluster.t0(), 3, 2, List.of(3), List.of(2));
    assertThat(cluster.alterIsr(1, 3)).isEqualTo(WireError.NONE);
    assertState(cluster.t0(), 3, 2, List.of(1, 3), List.of());
    assertThat(cluster.view(1).state()).isSameAs(cluster.controller.state());
  }

  @Test
  void broker_epochs_grow_and_a_broker_that_starts_again_unnoticed_goes_first() {
    assertThat(cluster.views.values().stream().map(BrokerMetadata::brokerEpoch))
        .containsExactly(1L, 2L, 3L);
    cluster.createAssigned(1, Map.of());
    cluster.kill(1);
    assertThat(cluster.start(1)).isEqualTo(4);
    assertThat(cluster.view(1).brokerEpoch()).isEqualTo(4);
    assertState(cluster.t0(), 2, 1, List.of(2, 3), List.of());
    assertThat(cluster.controller.state().isAlive(1)).isTrue();
  }

  @Test
  void a_broker_that_stops_in_order_knows_that_it_no_longer_leads() {
    cluster.createAssigned(1, Map.of());
    cluster.takeHeard(1);
    assertThat(cluster.controller.leave(1)).isEqualTo(WireError.NONE);
    assertState(cluster.t0(), 2, 1, List.of(2, 3), List.of());
    assertThat(cluster.takeHeard(1)).containsExactly("t>t");
    assertThat(cluster.view(1).state().isAlive(1)).isFalse();
    cluster.controller.unfence(1);
    assertThat(cluster.controller.state().isAlive(1)).isFalse();
    cluster.start(1);
    assertThat(cluster.controller.state().isAlive(1)).isTrue();
  }

  @Test
  void the_last_leader_leads_again_though_it_lost_records_when_nobody_has_more() {
    cluster.createAssigned(1, Map.of());
    cluster.alterIsr(1);
    cluster.controller.fence(1, false);
    assertState(cluster.t0(), -1, 1, List.of(), List.of(1));
    cluster.controller.fence(1, true);
    assertState(cluster.t0(), -1, 1, List.of(), List.of());
    assertThat(cluster.t0().lastLeader()).isEqualTo(1);
    cluster.start(1);
    assertState(cluster.t0(), 1, 2, List.of(1), List.of());
  }

  @Test
  void a_setting_that_allows_it_elects_at_once_where_nobody_leads() {
    cluster.createAssigned(2, Map.of());
    cluster.alterIsr(1);
    cluster.controller.fence(1, false);
    assertThat(cluster.t0().leader()).isEqualTo(-1);
    accept(
        cluster.controller.alterConfigs(
            "t",
            List.of(new ConfigChange("unclean.leader.election.enable", Operation.SET, "true"))));
    assertState(cluster.t0(), 2, 2, List.of(2), List.of());
    assertThat(cluster.topic().partitions().get(1).leader()).isEqualTo(2);
    assertThat(cluster.topic().partitions().get(1).isr()).containsExactly(2, 3);
  }

  @Test
  void the_same_setting_of_all_brokers_elects_too_and_one_broker_s_own_does_not() {
    cluster.createAssigned(1, Map.of());
    cluster.alterIsr(1);
    cluster.controller.fence(1, false);
    List<ConfigChange> allowed =
        List.of(new ConfigChange("unclean.leader.election.enable", Operation.SET, "true"));
    accept(cluster.controller.alterBroker("1", allowed));
    assertThat(cluster.t0().leader()).isEqualTo(-1);
    accept(cluster.controller.alterBroker("", allowed));
    assertThat(cluster.t0().leader()).isEqualTo(2);
    cluster.reopen();
    for (int broker = 1; broker <= 3; broker++) {
      assertThat(cluster.t0().leader()).isEqualTo(-1);
      cluster.start(broker);
    }
    assertThat(cluster.t0().leader()).isEqualTo(2);
  }

  @Test
  void nobody_is_eligible_any_more_when_fewer_replicas_are_enough() {
    cluster.createAssigned(1, Map.of("min.insync.replicas", "2"));
    cluster.alterIsr(1);
    assertThat(cluster.t0().eligible()).containsExactly(2, 3);
    accept(
        cluster.controller.alterConfigs(
            "t", List.of(new ConfigChange("min.insync.replicas", Operation.SET, "1"))));
    assertState(cluster.t0(), 1, 0, List.of(1), List.of());
  }

  @Test
  void a_leader_gets_what_it_asks_for_only_in_its_term_and_with_brokers_as_they_are() {
    cluster.createAssigned(1, Map.of("min.insync.replicas", "2"));
    cluster.alterIsr(1, 2);
    Uuid id = cluster.topic().id();
    List<Integer> isr = List.of(1, 2);
    List<Integer> all = List.of(1, 2, 3);
    TreeMap<Integer, Long> epochs = new TreeMap<>(Map.of(3, 3L));
    TreeMap<Integer, Long> old = new TreeMap<>(Map.of(3, 2L));
    assertRefused(2, new IsrChange(T0, id, 0, isr, all, epochs), WireError.INVALID_REQUEST);
    assertRefused(1, new IsrChange(T0, id, -1, isr, all, epochs), WireError.FENCED_LEADER_EPOCH);
    assertRefused(1, new IsrChange(T0, id, 1, isr, all, epochs), WireError.UNKNOWN_LEADER_EPOCH);
    assertRefused(1, new IsrChange(T0, id, 0, all, all, epochs), WireError.INVALID_UPDATE_VERSION);
    assertRefused(1, new IsrChange(T0, id, 0, isr, all, old), WireError.INELIGIBLE_REPLICA);
    assertRefused(
        1, new IsrChange(T0, id, 0, isr, all, new TreeMap<>()), WireError.INELIGIBLE_REPLICA);
    assertRefused(1, new IsrChange(T0, id, 0, isr, List.of(1, 4), old), WireError.INVALID_REQUEST);
    assertRefused(1, new IsrChange(T0, Uuid.ZERO, 0, isr, all, epochs), WireError.UNKNOWN_TOPIC_ID);
    assertRefused(
        1,
        new IsrChange(new TopicPartition("t", 1), id, 0, isr, all, epochs),
        WireError.UNKNOWN_TOPIC_OR_PARTITION);
    cluster.controller.fence(3, false);
    assertRefused(1, new IsrChange(T0, id, 0, isr, all, epochs), WireError.INELIGIBLE_REPLICA);
    cluster.controller.unfence(3);
    IsrChange good = new IsrChange(T0, id, 0, List.of(2, 1), List.of(3, 2, 1), epochs);
    cluster.controller.disconnect(1);
    assertRefused(1, good, WireError.NOT_CONTROLLER);
    cluster.controller.connect(1);
    assertThat(cluster.alterIsr(1, good)).isEqualTo(WireError.NONE);
    assertState(cluster.t0(), 1, 0, all, List.of());
    cluster.kill(1);
    assertRefused(
        1, new IsrChange(T0, id, 0, all, List.of(1), epochs), WireError.STALE_BROKER_EPOCH);
  }

  @Test
  void a_leader_that_cannot_go_on_is_relieved_by_one_in_sync_or_eligible_or_gets_a_new_term() {
    cluster.createAssigned(1, Map.of("min.insync.replicas", "2"));
    Uuid id = cluster.topic().id();
    resign(1, id, List.of(1, 2, 3));
    assertState(cluster.t0(), 2, 1, List.of(2, 3), List.of());
    cluster.controller.fence(3, false);
    assertState(cluster.t0(), 2, 1, List.of(2), List.of(3));
    resign(2, id, List.of(2));
    assertState(cluster.t0(), 2, 2, List.of(2), List.of(3));
  }

  private void resign(int leader, Uuid id, List<Integer> isr) {
    IsrChange wish =
        new IsrChange(T0, id, cluster.t0().leaderEpoch(), isr, List.of(), new TreeMap<>());
    assertThat(cluster.alterIsr(leader, wish)).isEqualTo(WireError.NONE);
  }

  private void assertRefused(int leader, IsrChange change, WireError error) {
    ClusterState before = cluster.controller.state();
    assertThat(cluster.alterIsr(leader, change)).as("%s", change).isEqualTo(error);
    assertThat(cluster.controller.state()).isSameAs(before);
  }

  @Test
  void many_wishes_are_one_write_and_each_has_its_own_answer() {
    cluster.createAssigned(50, Map.of());
    List<IsrChange> changes = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      changes.add(
          new IsrChange(
              new TopicPartition("t", i),
              cluster.topic().id(),
              i == 9 ? 1 : 0,
              List.of(1, 2, 3),
              List.of(1, 2),
              new TreeMap<>()));
    }
    changes.add(changes.get(0));
    long forces = cluster.disk.forceCount();
    List<WireError> answers = cluster.controller.alterIsr(cluster.view(1), changes);
    assertThat(cluster.disk.forceCount()).isEqualTo(forces + 1);
    assertThat(answers.get(9)).isEqualTo(WireError.UNKNOWN_LEADER_EPOCH);
    assertThat(answers.get(50)).isEqualTo(WireError.INVALID_UPDATE_VERSION);
    assertThat(answers.stream().filter(WireError.NONE::equals)).hasSize(49);
    assertThat(cluster.topic().partitions().stream().filter(p -> p.isr().size() == 3)).hasSize(1);
    assertThat(cluster.takeHeard(2)).containsExactly("->t", "t>t");
  }

  @Test
  void leadership_is_given_back_moved_and_forced() {
    cluster.createAssigned(3, Map.of());
    assertThat(cluster.controller.moveLeader(T0, 3)).isEqualTo(WireError.NONE);
    assertState(cluster.t0(), 3, 1, List.of(1, 2, 3), List.of());
    assertThat(cluster.controller.moveLeader(T0, 3)).isEqualTo(WireError.ELECTION_NOT_NEEDED);
    assertThat(cluster.controller.moveLeader(new TopicPartition("t", 7), 3))
        .isEqualTo(WireError.UNKNOWN_TOPIC_OR_PARTITION);
    cluster.controller.fence(2, false);
    assertThat(cluster.controller.moveLeader(T0, 2))
        .isEqualTo(WireError.PREFERRED_LEADER_NOT_AVAILABLE);
    TopicPartition unknown = new TopicPartition("nothing", 0);
    TopicPartition t1 = new TopicPartition("t", 1);
    assertThat(cluster.controller.electLeaders(List.of(T0, t1, unknown), ElectionType.PREFERRED))
        .containsExactly(
            Map.entry(unknown, WireError.UNKNOWN_TOPIC_OR_PARTITION),
            Map.entry(T0, WireError.NONE),
            Map.entry(t1, WireError.ELECTION_NOT_NEEDED));
    assertState(cluster.t0(), 1, 2, List.of(1, 3), List.of());
    cluster.controller.moveLeader(T0, 3);
    assertThat(cluster.controller.electLeaders(null, ElectionType.PREFERRED))
        .containsExactly(Map.entry(T0, WireError.NONE));
    cluster.controller.moveLeader(T0, 3);
    cluster.controller.balance();
    assertThat(cluster.t0().leader()).isEqualTo(1);
  }

  @Test
  void internal_topics_have_no_more_replicas_than_there_are_brokers() {
    List<WireError> answers = new ArrayList<>();
    cluster.view(2).ensureInternalTopic(TopicNames.OFFSETS, answers::add);
    TopicState topic = cluster.controller.state().topic(TopicNames.OFFSETS);
    assertThat(answers).containsExactly(WireError.NONE);
    assertThat(topic).isNotNull();
    assertThat(topic.partitions()).allMatch(p -> p.replicas().size() == 1);
    assertThat(topic.partitions().stream().map(PartitionState::leader).distinct()).hasSize(3);
  }

  @Test
  void more_replicas_than_brokers_are_refused_and_fenced_ones_get_theirs_later() {
    assertThat(cluster.create("t", 1, 4).error()).isEqualTo(WireError.INVALID_REPLICATION_FACTOR);
    cluster.controller.fence(3, false);
    accept(cluster.create("t", 3, 3));
    assertThat(cluster.topic().partitions())
        .allMatch(p -> p.replicas().size() == 3 && p.isr().size() == 2 && p.leader() != 3);
    cluster.controller.fence(1, false);
    cluster.controller.fence(2, false);
    assertThat(cluster.create("u", 1, 1).error()).isEqualTo(WireError.INVALID_REPLICATION_FACTOR);
    assertThat(cluster.controller.createPartitions("t", 4, null).error())
        .isEqualTo(WireError.INVALID_REPLICATION_FACTOR);
  }

  @Test
  void after_a_restart_of_all_leaders_are_where_they_were_in_a_new_epoch() {
    cluster.createAssigned(2, Map.of("min.insync.replicas", "2"));
    cluster.controller.moveLeader(T0, 3);
    cluster.controller.fence(1, false);
    cluster.reopen();
    assertState(cluster.t0(), -1, 2, List.of(2, 3), List.of());
    assertThat(cluster.controller.state().isAlive(1)).isTrue();
    assertThat(cluster.controller.state().brokers()).isEmpty();
    cluster.start(2);
    assertThat(cluster.controller.state().brokers().keySet()).containsExactly(2);
    cluster.start(1);
    assertState(cluster.t0(), -1, 2, List.of(2, 3), List.of());
    cluster.start(3);
    assertState(cluster.t0(), 3, 3, List.of(2, 3), List.of());
    cluster.controller.fence(3, false);
    assertState(cluster.t0(), 2, 4, List.of(2), List.of(3));
  }

  private static ReplicaEnd whole(int lastEpoch, long logEnd) {
    return new ReplicaEnd(lastEpoch, logEnd, false);
  }

  private static ReplicaEnd damaged(int lastEpoch, long logEnd) {
    return new ReplicaEnd(lastEpoch, logEnd, true);
  }

  @Test
  void after_a_crash_of_all_the_longest_of_those_in_sync_leads_and_none_before_all_are_there() {
    cluster.createAssigned(1, Map.of("min.insync.replicas", "2"));
    cluster.reopen();
    cluster.startWith(1, whole(-1, 0));
    cluster.startWith(3, whole(0, 900));
    assertThat(cluster.controller.moveLeader(T0, 1))
        .isEqualTo(WireError.PREFERRED_LEADER_NOT_AVAILABLE);
    assertThat(cluster.controller.electLeaders(List.of(T0), ElectionType.UNCLEAN))
        .containsEntry(T0, WireError.ELIGIBLE_LEADERS_NOT_AVAILABLE);
    accept(cluster.controller.alterConfigs("t", List.of()));
    assertThat(cluster.t0().leader()).isEqualTo(-1);
    cluster.startWith(2, whole(0, 1000));
    assertState(cluster.t0(), 2, 2, List.of(2), List.of());
    assertThat(cluster.notices).isEmpty();
  }

  @Test
  void who_was_not_in_sync_does_not_lead_after_a_crash_of_all_but_that_it_has_more_is_told() {
    cluster.createAssigned(1, Map.of());
    cluster.alterIsr(1, 2);
    cluster.reopen();
    cluster.startWith(1, whole(0, 10));
    cluster.startWith(2, whole(0, 10));
    cluster.startWith(3, whole(0, 12));
    assertState(cluster.t0(), 1, 2, List.of(1, 2), List.of());
    assertThat(cluster.notices.toString())
        .contains("t-0: committed records from offset 10 on may be missing", "broker 3");
  }

  @Test
  void of_damaged_replicas_the_longest_leads_and_what_may_be_missing_is_told() {
    cluster.createAssigned(1, Map.of());
    cluster.reopen();
    cluster.startWith(2, damaged(0, 30));
    cluster.startWith(1, damaged(0, 20));
    cluster.startWith(3, damaged(0, 10));
    assertState(cluster.t0(), 2, 2, List.of(2), List.of());
    assertThat(cluster.notices.toString())
        .contains("t-0: committed records from offset 30 on may be missing", "[1, 2, 3]");
  }

  @Test
  void a_broker_that_died_again_before_the_others_came_does_not_hold_them_up() {
    cluster.createAssigned(1, Map.of("min.insync.replicas", "2"));
    cluster.reopen();
    cluster.startWith(1, whole(0, 7));
    cluster.startWith(2, whole(0, 7));
    cluster.controller.fence(3, false);
    assertState(cluster.t0(), 1, 2, List.of(1, 2), List.of());
  }

  @Test
  void a_cluster_whose_brokers_stopped_one_by_one_goes_on_with_the_last_one_s_records() {
    cluster.createAssigned(1, Map.of());
    for (int broker = 1; broker <= 3; broker++) {
      cluster.controller.leave(broker);
    }
    assertState(cluster.t0(), -1, 3, List.of(), List.of(3));
    cluster.reopen();
    assertState(cluster.t0(), -1, 4, List.of(), List.of(3));
    cluster.controller.fence(3, false);
    cluster.start(1);
    cluster.start(2);
    assertThat(cluster.t0().leader()).isEqualTo(-1);
    cluster.start(3);
    assertState(cluster.t0(), 3, 5, List.of(3), List.of());
  }

  @Test
  void what_the_disk_refuses_has_not_happened_and_owed_elections_come_later() {
    cluster.createAssigned(1, Map.of());
    cluster.disk.failNextForce();
    assertThat(cluster.alterIsr(1)).isEqualTo(WireError.KAFKA_STORAGE_ERROR);
    assertThat(cluster.t0().isr()).hasSize(3);
    cluster.disk.fill(20);
    assertThat(cluster.controller.fence(1, false)).isEqualTo(WireError.KAFKA_STORAGE_ERROR);
    assertThat(cluster.controller.moveLeader(T0, 2)).isEqualTo(WireError.KAFKA_STORAGE_ERROR);
    assertThat(cluster.controller.electLeaders(List.of(T0), ElectionType.UNCLEAN))
        .containsEntry(T0, WireError.ELECTION_NOT_NEEDED);
    assertThat(cluster.controller.state().isAlive(1)).isTrue();
    assertThat(cluster.t0().leader()).isEqualTo(1);
    cluster.disk.free();
    for (int broker = 1; broker <= 3; broker++) {
      assertThat(cluster.controller.fence(broker, false)).isEqualTo(WireError.NONE);
    }
    cluster.disk.fill(20);
    cluster.start(3);
    assertThat(cluster.controller.state().isAlive(3)).isTrue();
    assertThat(cluster.t0().leader()).isEqualTo(-1);
    cluster.controller.repair();
    assertThat(cluster.t0().leader()).isEqualTo(-1);
    cluster.disk.free();
    cluster.controller.repair();
    assertThat(cluster.t0().leader()).isEqualTo(3);
  }

  @Test
  void power_failures_in_the_middle_of_a_change_leave_the_old_state_or_the_new_one() {
    int oldOnes = 0;
    int newOnes = 0;
    for (int at = 1; at < 40; at++) {
      ClusterFixture one = ClusterFixture.running();
      one.createAssigned(20, Map.of("min.insync.replicas", "2"));
      one.alterIsr(1, 2);
      one.disk.powerOffIn(at);
      boolean isAnswered = one.controller.fence(2, false) == WireError.NONE;
      isAnswered &= !one.disk.isPowerOff();
      one.reopen();
      boolean isNew = one.t0().eligible().equals(List.of(2));
      assertThat(isNew || one.t0().isr().equals(List.of(1, 2))).isTrue();
      assertThat(isNew || !isAnswered).as("power off at change %d", at).isTrue();
      assertThat(one.topic().partitions().get(19).isr().contains(2)).isEqualTo(!isNew);
      newOnes += isNew ? 1 : 0;
      oldOnes += isNew ? 0 : 1;
    }
    assertThat(oldOnes).isPositive();
    assertThat(newOnes).isPositive();
  }

  @Test
  void an_unknown_broker_cannot_be_fenced() {
    assertThat(cluster.controller.fence(4, false)).isEqualTo(WireError.BROKER_ID_NOT_REGISTERED);
  }
}
