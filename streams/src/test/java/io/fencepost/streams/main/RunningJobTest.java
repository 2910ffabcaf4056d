package io.fencepost.streams.main;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RunningJobTest {
  @Test
  void as_long_as_a_duration_can_be_is_for_ever() {
    RunningJob job = new RunningJob("j", new RunningJob.Place("app", "instance", "guarantee"));
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> job.await(Duration.ofSeconds(Long.MAX_VALUE)))
        .isInstanceOf(InterruptedException.class);
  }
}
