package io.fencepost.streams.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.fencepost.streams.JobCounts;
import io.fencepost.streams.JobHandle;
import io.fencepost.streams.JobHealth;
import io.fencepost.streams.JobState;
import io.fencepost.streams.task.AbortCause;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobMetersTest {
  @Test
  void aborts_are_told_by_cause_and_no_other_cause_makes_a_meter() {
    JobHandle handle = mock(JobHandle.class);
    when(handle.health())
        .thenReturn(new JobHealth("j", "a", "i", JobState.RUNNING, "", Instant.EPOCH, List.of()));
    when(handle.counts()).thenReturn(JobCounts.ZERO);
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (JobMeters meters = JobMeters.bind(handle, registry)) {
      meters.aborted("w", "RETRY");
      meters.aborted("w", "RETRY");
      meters.aborted("w", "of a later version");
      assertThat(registry.get("fencepost.streams.aborts").tag("cause", "RETRY").counter().count())
          .isEqualTo(2);
      assertThat(registry.get("fencepost.streams.aborts").counters())
          .hasSize(AbortCause.values().length);
    }
    assertThat(registry.getMeters()).as("left in the registry").isEmpty();
  }
}
