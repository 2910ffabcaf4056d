package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PatienceTest {
  private final Patience patience = new Patience(60_000);

  @Test
  void the_first_failure_is_followed_at_once_and_each_further_one_by_a_longer_pause() {
    assertThat(pauses(7)).containsExactly(0L, 100L, 200L, 400L, 800L, 1_000L, 1_000L);
  }

  @Test
  void success_makes_the_next_failure_the_first_again() {
    pauses(5);
    patience.worked();
    assertThat(pauses(2)).containsExactly(0L, 100L);
  }

  private List<Long> pauses(int failures) {
    List<Long> pauses = new ArrayList<>();
    long nowMs = 0;
    for (int i = 0; i < failures; i++) {
      nowMs += 10_000;
      patience.failed(FailureClass.ABORT_AND_REWIND, nowMs);
      long pauseMs = 0;
      while (patience.pauses(nowMs + pauseMs)) {
        pauseMs++;
      }
      pauses.add(pauseMs);
    }
    return pauses;
  }
}
