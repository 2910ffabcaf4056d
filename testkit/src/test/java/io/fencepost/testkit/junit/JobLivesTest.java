package io.fencepost.testkit.junit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.fencepost.broker.main.SystemClock;
import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.Faults;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JobLivesTest {
  private static final String NOBODY = "127.0.0.1:1";

  @Test
  void a_job_that_fails_to_link_at_its_start_fails_the_test_and_can_be_closed() {
    JobLives lives =
        new JobLives(
            Job.named("unlinked"),
            bootstrap -> {
              if (bootstrap.equals(NOBODY)) {
                return JobConfig.of(Map.of("bootstrap.servers", bootstrap));
              }
              throw new UnsatisfiedLinkError("no rocksdbjni");
            },
            NOBODY,
            Faults.of(FaultPlan.NONE, new SystemClock()),
            fired -> {});
    assertThatThrownBy(lives::start).hasRootCauseMessage("no rocksdbjni");
    assertTimeoutPreemptively(Duration.ofMinutes(1), lives::close);
  }
}
