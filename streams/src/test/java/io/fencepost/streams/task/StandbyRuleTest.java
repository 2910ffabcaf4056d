package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.store.TaskId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class StandbyRuleTest {
  private static final List<String> FOUR = List.of("a", "b", "c", "d");

  @Test
  void the_owner_never_holds_and_there_are_as_many_as_asked_for_or_as_there_are_others() {
    for (TaskId task : tasks(100)) {
      assertThat(StandbyRule.holders(task, "b", FOUR, 2)).hasSize(2).doesNotContain("b");
      assertThat(StandbyRule.holders(task, "b", FOUR, 9)).containsExactlyInAnyOrder("a", "c", "d");
      assertThat(StandbyRule.holders(task, "b", List.of("b"), 1)).isEmpty();
    }
  }

  @Test
  void who_goes_changes_only_the_tasks_that_it_held() {
    for (TaskId task : tasks(200)) {
      List<String> before = StandbyRule.holders(task, "a", FOUR, 1);
      List<String> after = StandbyRule.holders(task, "a", List.of("c", "a", "b"), 1);
      if (!before.contains("d")) {
        assertThat(after).isEqualTo(before);
      }
    }
  }

  @Test
  void the_copies_are_spread() {
    Map<String, Integer> held = new TreeMap<>();
    for (TaskId task : tasks(400)) {
      held.merge(StandbyRule.holders(task, "a", FOUR, 1).get(0), 1, Integer::sum);
    }
    assertThat(held).hasSize(3);
    assertThat(held.values()).allSatisfy(count -> assertThat(count).isBetween(80, 190));
  }

  private static List<TaskId> tasks(int count) {
    return java.util.stream.IntStream.range(0, count).mapToObj(i -> new TaskId("in", i)).toList();
  }
}
