package io.fencepost.streams.main;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SilenceTest {
  private final Silence silence = new Silence();
  private long nowMs = 1_000_000;

  private boolean isSilent(long receivedBytes, long forMs) {
    boolean isSilent = silence.since(receivedBytes, nowMs) != null;
    for (long endMs = nowMs + forMs; nowMs < endMs; nowMs += 250) {
      isSilent = silence.since(receivedBytes, nowMs) != null;
    }
    return isSilent;
  }

  @Test
  void it_begins_with_the_last_answer_and_ends_with_the_next() {
    assertThat(isSilent(7, Silence.LONG_MS)).isFalse();
    long beganMs = nowMs;
    assertThat(isSilent(8, Silence.LONG_MS)).isFalse();
    assertThat(silence.since(8, nowMs)).isEqualTo(beganMs);
    assertThat(silence.since(9, nowMs)).isNull();
  }

  @Test
  void a_cluster_that_never_answers_is_silent_from_the_start() {
    assertThat(isSilent(0, Silence.LONG_MS + 250)).isTrue();
  }

  @Test
  void a_worker_that_was_busy_with_something_else_has_missed_nothing() {
    assertThat(isSilent(7, 2_000)).isFalse();
    nowMs += 60_000;
    assertThat(isSilent(7, 2_000)).isFalse();
  }

  @Test
  void a_client_that_does_not_count_is_never_silent() {
    assertThat(isSilent(-1, 10 * Silence.LONG_MS)).isFalse();
  }
}
