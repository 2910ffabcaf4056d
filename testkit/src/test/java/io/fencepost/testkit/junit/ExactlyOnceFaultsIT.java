package io.fencepost.testkit.junit;

import static io.fencepost.testkit.junit.FencepostAssertions.assertExactlyOnce;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.Job;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.history.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A sound job is exactly once under all that can be broken in one process. */
class ExactlyOnceFaultsIT {
  private static final int RECORDS = 60;
  private static final int PAYMENTS = 45;

  private static ExactlyOnce.From<String, Long> payments() {
    Job job = Job.named("dedup");
    job.from("payments", Serdes.String(), Serdes.Long())
        .deduplicate("seen", Duration.ofDays(1))
        .to("accepted", Serdes.String(), Serdes.Long());
    List<KeyValue<String, Long>> input = new ArrayList<>();
    for (int i = 0; i < RECORDS; i++) {
      input.add(KeyValue.of("payment " + i % PAYMENTS, (long) (i % PAYMENTS)));
    }
    return assertExactlyOnce(job)
        .within(Duration.ofMinutes(3))
        .from("payments", Serdes.String(), Serdes.Long(), input)
        .to(
            "accepted",
            Serdes.String(),
            Serdes.Long(),
            all -> new ArrayList<>(new LinkedHashSet<>(all)));
  }

  private static ExactlyOnceReport held(String plan) {
    ExactlyOnceReport report = payments().under(FaultPlan.parse(plan)).get(0);
    assertThat(report.fired()).as(report.toString()).isNotEmpty();
    assertThat(report.outputs()).isEqualTo(PAYMENTS);
    assertThat(
            report.verdicts().keySet().stream()
                .filter(id -> report.verdicts().get(id) instanceof Verdict.Pass))
        .contains("E1", "E3", "E4", "L1", "L6", "P1", "P2", "P3", "P4", "S1", "V1", "V2", "V5");
    return report;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "before-poll#3:failed; after-poll#2:failed; before-send#9:failed; after-send#17:failed",
        "before-stage#2:failed; after-stage#3:failed; before-end#5:failed; after-end#7:failed",
        "before-apply#2:failed; after-apply#3:delayed=50ms; after-apply#4:failed",
        "before-poll#3:delayed=50ms; after-send#9:delayed=50ms; before-end#2:delayed=50ms"
      })
  void steps_of_the_job_fail_and_wait(String plan) {
    held(plan);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kill job@after-poll#2; kill job@before-send#11; kill job@after-send#25",
        "kill job@before-stage#1; kill job@after-stage#3; kill job@before-end#5",
        "kill job@after-end#1; kill job@before-apply#3; kill job@after-apply#5",
        "kill job@EndTxn#2; restart job@TxnOffsetCommit#4; restart job@after-send#30"
      })
  void the_job_is_killed_and_restarted(String plan) {
    ExactlyOnceReport report = held(plan);
    assertThat(report.restarts()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kill broker 2@EndTxn#2; move leader@Produce[topic=accepted]#2",
        "restart broker@before-marker#2; move coordinator@EndTxn#4",
        "isolate broker@Produce[topic=accepted]#2 for 1s",
        "pause broker@TxnOffsetCommit#2 for 1s",
        "tear tail@after-append[topic=accepted]#3",
        "fill disk@before-append[topic=accepted]#3 for 500ms",
        "fail force@before-append[topic=accepted]#2; after-force#9:delayed=20ms",
        "jump clock@after-marker#1 by +1h; jump clock@after-marker#4 by -2h",
        "before-force#7:failed; after-table-write#3:delayed=20ms; kill job@before-append#60",
        "kill broker@before-table-write#5"
      })
  void brokers_are_broken_at_requests_and_at_their_own_steps(String plan) {
    held(plan);
  }

  @Test
  void a_cluster_of_the_test_is_broken_and_well_again_afterwards() {
    try (TestCluster cluster = TestCluster.start(3)) {
      FaultPlan plan = FaultPlan.parse("kill broker 1@EndTxn#2; kill job@before-end#3");
      Job job = Job.named("copy");
      job.from("in", Serdes.String(), Serdes.String()).to("out", Serdes.String(), Serdes.String());
      assertExactlyOnce(job)
          .on(cluster)
          .from("in", "a", "b", "c", "d", "e", "f", "g", "h")
          .to("out", all -> all)
          .under(plan);
      assertThat(cluster.brokers().running()).containsExactly(1, 2, 3);
    }
  }
}
