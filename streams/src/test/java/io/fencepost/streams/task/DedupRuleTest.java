package io.fencepost.streams.task;

import static io.fencepost.streams.task.DedupRule.Verdict.FIRST;
import static io.fencepost.streams.task.DedupRule.Verdict.REPEATED;
import static io.fencepost.streams.task.DedupRule.Verdict.UNKNOWABLE;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DedupRuleTest {
  private static final long R = 10;

  @Test
  void a_key_repeats_within_the_retention_of_its_first_sight_and_is_new_after_it() {
    assertThat(DedupRule.judge(null, 100, Long.MIN_VALUE, R)).isEqualTo(FIRST);
    assertThat(DedupRule.judge(100L, 110, 100, R)).isEqualTo(REPEATED);
    assertThat(DedupRule.judge(100L, 111, 110, R)).isEqualTo(FIRST);
    assertThat(DedupRule.judge(100L, 95, 100, R)).isEqualTo(REPEATED);
  }

  @Test
  void nobody_can_tell_about_an_unseen_key_older_than_the_retention() {
    assertThat(DedupRule.judge(null, 90, 100, R)).isEqualTo(FIRST);
    assertThat(DedupRule.judge(null, 89, 100, R)).isEqualTo(UNKNOWABLE);
    assertThat(DedupRule.judge(85L, 89, 100, R)).isEqualTo(REPEATED);
  }

  /** So that the answer is a function of the input alone, not of when the sweep came by. */
  @Test
  void an_entry_that_may_be_deleted_counts_as_absent() {
    for (long seen = 0; seen <= 120; seen++) {
      for (long time = 0; time <= 140; time++) {
        if (!DedupRule.isRemembered(seen, 120, R)) {
          assertThat(DedupRule.judge(seen, time, 120, R))
              .isEqualTo(DedupRule.judge(null, time, 120, R));
        }
      }
    }
  }

  @Test
  void a_retention_for_ever_does_not_overflow() {
    assertThat(DedupRule.judge(5L, Long.MAX_VALUE, 100, Long.MAX_VALUE)).isEqualTo(REPEATED);
    assertThat(DedupRule.judge(null, 5, 100, Long.MAX_VALUE)).isEqualTo(FIRST);
  }
}
