package io.fencepost.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PlacementTest {
  private static ClusterState cluster(int brokers, Integer... fenced) {
    ClusterState state = ClusterState.empty("test-cluster", 1);
    for (int id = 1; id <= brokers; id++) {
      boolean isFenced = List.of(fenced).contains(id);
      state =
          state.withMember(
              new Member(
                  new BrokerNode(id, "localhost", 9090 + id, null),
                  id,
                  isFenced ? Member.Status.FENCED : Member.Status.ALIVE));
    }
    return state;
  }

  @Test
  void leaders_are_spread_evenly_and_so_are_replicas_with_each_round_of_partitions() {
    for (int brokers = 1; brokers <= 7; brokers++) {
      for (int factor = 1; factor <= brokers; factor++) {
        for (int count = 1; count <= 30; count++) {
          assertEven(brokers, factor, count, "topic-" + count);
        }
      }
    }
  }

  private static void assertEven(int brokers, int factor, int count, String topic) {
    TreeMap<Integer, Integer> leads = new TreeMap<>();
    TreeMap<Integer, Integer> holds = new TreeMap<>();
    for (PartitionState partition : Placement.place(cluster(brokers), topic, 0, count, factor)) {
      assertThat(new TreeSet<>(partition.replicas())).hasSize(factor);
      assertThat(partition.isr()).isEqualTo(partition.replicas());
      assertThat(partition.leader()).isEqualTo(partition.replicas().get(0));
      leads.merge(partition.leader(), 1, Integer::sum);
      partition.replicas().forEach(replica -> holds.merge(replica, 1, Integer::sum));
    }
    for (int id = 1; id <= brokers; id++) {
      assertThat(leads.getOrDefault(id, 0)).isBetween(count / brokers, count / brokers + 1);
      double even = (double) factor * count / brokers;
      // Followers next in line: in the last, unfinished round neighbours overlap.
      int overlap = brokers <= 3 ? 1 : Math.max(1, Math.min(factor, count % brokers));
      int unevenness = count % brokers == 0 ? 0 : overlap;
      assertThat((double) holds.getOrDefault(id, 0))
          .as("%d of %d", id, brokers)
          .isBetween(even - unevenness, even + unevenness);
    }
  }

  @Test
  void partitions_that_are_added_go_on_where_the_first_ones_ended() {
    ClusterState state = cluster(3);
    List<PartitionState> all = Placement.place(state, "grown", 0, 10, 2);
    assertThat(Placement.place(state, "grown", 4, 10, 2)).isEqualTo(all.subList(4, 10));
  }

  @Test
  void brokers_that_are_not_alive_are_taken_only_where_the_others_are_too_few() {
    ClusterState state = cluster(4, 2, 4);
    for (PartitionState partition : Placement.place(state, "t", 0, 8, 2)) {
      assertThat(partition.replicas()).containsExactlyInAnyOrder(1, 3);
    }
    for (PartitionState partition : Placement.place(state, "t", 0, 8, 3)) {
      assertThat(partition.replicas()).hasSize(3).contains(1, 3);
      assertThat(partition.isr()).containsExactlyInAnyOrder(1, 3);
      assertThat(partition.isr()).contains(partition.leader());
    }
  }

  @Test
  void there_must_be_as_many_brokers_as_replicas_and_one_that_is_alive() {
    assertThat(Placement.problem(cluster(3), 3)).isNull();
    assertThat(Placement.problem(cluster(3), 4))
        .isEqualTo("Replication factor 4 is larger than the number of brokers, 3");
    assertThat(Placement.problem(cluster(3, 1, 2), 3)).isNull();
    assertThat(Placement.problem(cluster(2, 1, 2), 1)).isEqualTo("No broker is alive");
  }
}
