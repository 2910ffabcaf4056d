package io.fencepost.testkit.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PlanTest {
  private static final Plan.Shape SHAPE = new Plan.Shape(3, 3, 2, 800);

  private static List<Step> steps(long seed, int count) {
    Plan plan = new Plan(seed, SHAPE);
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      steps.add(plan.next());
    }
    return steps;
  }

  @Test
  void the_same_seed_gives_the_same_plan() {
    assertThat(steps(7, 200)).isEqualTo(steps(7, 200)).isNotEqualTo(steps(8, 200));
  }

  @Test
  void every_kind_of_fault_comes_soon() {
    for (long seed = 0; seed < 200; seed++) {
      EnumSet<Fault> kinds = EnumSet.noneOf(Fault.class);
      steps(seed, 60).forEach(step -> kinds.add(step.fault()));
      assertThat(kinds)
          .as("seed %d", seed)
          .containsAll(EnumSet.allOf(Fault.class).stream().filter(f -> !f.isRepair()).toList());
    }
  }

  /** Written apart from the rule that plans are made by. */
  @Test
  void
      data_are_lost_only_while_every_other_copy_is_in_sync_and_nobody_else_is_hurt_until_settled() {
    for (long seed = 0; seed < 500; seed++) {
      TreeSet<Integer> hurt = new TreeSet<>();
      int loser = 0;
      for (Step step : steps(seed, 200)) {
        String where = "seed " + seed + ", " + step;
        switch (step.fault()) {
          case KILL_UNFORCED_LOST, WIPE -> {
            assertThat(hurt).as(where).isEmpty();
            loser = step.target();
            hurt.add(loser);
          }
          case KILL, STOP, ISOLATE, ISOLATE_FROM_ONE, LAG -> {
            assertThat(loser).as(where).isZero();
            hurt.add(step.target());
          }
          case SETTLE -> {
            hurt.clear();
            loser = 0;
          }
          default -> {}
        }
        assertThat(hurt).as(where).hasSizeLessThan(3);
      }
    }
  }

  @Test
  void only_brokers_that_run_are_broken_and_only_those_that_are_down_start() {
    for (long seed = 0; seed < 500; seed++) {
      TreeSet<Integer> down = new TreeSet<>();
      for (Step step : steps(seed, 200)) {
        String where = "seed " + seed + ", " + step;
        switch (step.fault()) {
          case KILL, KILL_UNFORCED_LOST, WIPE, STOP ->
              assertThat(down.add(step.target())).as(where).isTrue();
          case RESTART -> assertThat(down.remove(step.target())).as(where).isTrue();
          case ISOLATE, ISOLATE_FROM_ONE, LAG ->
              assertThat(down).as(where).doesNotContain(step.target());
          case SETTLE -> down.clear();
          default -> {}
        }
      }
    }
  }

  @Test
  void a_step_is_one_line_that_says_what_is_done_to_whom() {
    assertThat(new Step(12, 350, Fault.ISOLATE_FROM_ONE, 2, 3))
        .hasToString(" 12 + 350 ms isolate-from-one 2 3");
  }
}
