package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.store.TaskId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TaskSharingTest {
  @Test
  void tasks_stay_where_they_are_while_that_is_even() {
    Map<String, TreeSet<TaskId>> shares =
        share(tasks("p", 4), member("a", task("p", 1), task("p", 3)), member("b", task("p", 0)));
    assertThat(shares.get("a")).containsExactly(task("p", 1), task("p", 3));
    assertThat(shares.get("b")).containsExactly(task("p", 0), task("p", 2));
  }

  @Test
  void a_newcomer_gets_its_part_of_every_part_of_the_job() {
    List<TaskId> all = new ArrayList<>(tasks("p", 4));
    all.addAll(tasks("q", 4));
    Map<String, TreeSet<TaskId>> shares =
        share(all, member("a", all.toArray(new TaskId[0])), member("b"));
    assertThat(shares.get("b").stream().map(TaskId::part)).containsExactly("p", "p", "q", "q");
  }

  @Test
  void parts_of_one_partition_do_not_all_stay_with_the_first_member() {
    List<TaskId> all = List.of(task("p", 0), task("q", 0), task("r", 0), task("s", 0));
    Map<String, TreeSet<TaskId>> shares =
        share(all, member("a", all.toArray(new TaskId[0])), member("b"));
    assertThat(shares.get("a")).hasSize(2);
    assertThat(shares.get("b")).hasSize(2);
  }

  @Test
  void a_task_without_an_owner_goes_where_its_state_is_freshest() {
    Map<TaskId, Long> old = Map.of(task("p", 0), 5L, task("p", 1), 9L);
    Map<TaskId, Long> fresh = Map.of(task("p", 0), 7L);
    Map<String, TreeSet<TaskId>> shares =
        new TaskSharing(
                List.of(
                    new TaskSharing.Member("a", List.of(), old),
                    new TaskSharing.Member("b", List.of(), fresh)))
            .share(tasks("p", 2));
    assertThat(shares.get("a")).containsExactly(task("p", 1));
    assertThat(shares.get("b")).containsExactly(task("p", 0));
  }

  @Test
  void a_task_that_two_claim_belongs_to_nobody_and_is_given_once() {
    Map<String, TreeSet<TaskId>> shares =
        share(tasks("p", 2), member("a", task("p", 0)), member("b", task("p", 0)));
    assertThat(shares.values().stream().flatMap(TreeSet::stream))
        .containsExactlyInAnyOrder(task("p", 0), task("p", 1));
  }

  @Test
  void every_task_is_given_once_evenly_and_repeated_sharing_moves_nothing() {
    for (long seed = 1; seed <= 300; seed++) {
      Random random = new Random(seed);
      List<TaskId> all = new ArrayList<>();
      for (int part = random.nextInt(4); part >= 0; part--) {
        all.addAll(tasks("part" + part, 1 + random.nextInt(9)));
      }
      Map<String, TreeSet<TaskId>> owned = new LinkedHashMap<>();
      for (int round = 0; round < 5; round++) {
        int count = 1 + random.nextInt(5);
        List<TaskSharing.Member> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          Collection<TaskId> mine = owned.getOrDefault("m" + i, new TreeSet<>());
          members.add(new TaskSharing.Member("m" + i, mine, Map.of()));
        }
        owned = new LinkedHashMap<>(new TaskSharing(members).share(all));
        check(seed, owned, all);
        List<TaskSharing.Member> settled = new ArrayList<>();
        owned.forEach((id, mine) -> settled.add(new TaskSharing.Member(id, mine, Map.of())));
        assertThat(new TaskSharing(settled).share(all)).as("seed %d", seed).isEqualTo(owned);
      }
    }
  }

  private static void check(long seed, Map<String, TreeSet<TaskId>> shares, List<TaskId> all) {
    List<TaskId> given = shares.values().stream().flatMap(TreeSet::stream).toList();
    assertThat(given).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(all);
    for (String part : all.stream().map(TaskId::part).distinct().toList()) {
      List<Integer> counts =
          shares.values().stream()
              .map(share -> (int) share.stream().filter(task -> task.part().equals(part)).count())
              .sorted()
              .toList();
      assertThat(counts.get(counts.size() - 1) - counts.get(0))
          .as("seed %d: spread of %s over %s", seed, part, shares)
          .isLessThanOrEqualTo(1);
    }
  }

  private static Map<String, TreeSet<TaskId>> share(
      List<TaskId> tasks, TaskSharing.Member... members) {
    return new TaskSharing(List.of(members)).share(tasks);
  }

  private static TaskSharing.Member member(String id, TaskId... owned) {
    return new TaskSharing.Member(id, List.of(owned), Map.of());
  }

  private static List<TaskId> tasks(String part, int count) {
    return IntStream.range(0, count).mapToObj(number -> task(part, number)).toList();
  }

  private static TaskId task(String part, int partition) {
    return new TaskId(part, partition);
  }
}
