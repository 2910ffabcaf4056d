package io.fencepost.testkit.prove;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.FaultPoints;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CandidatesTest {
  private static final Candidates.Times TIMES =
      new Candidates.Times(Duration.ofSeconds(2), Duration.ofSeconds(3), Duration.ofSeconds(1));
  private static final FaultFacts ID = FaultFacts.NONE.transaction("t");
  private static final FaultFacts OUT = FaultFacts.NONE.partition("out", 1).transaction("t");

  @Test
  void the_first_of_a_class_is_broken_and_of_many_one_from_the_middle() {
    List<Sighting> sightings = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      sightings.add(new Sighting(FaultPoints.of(ApiKey.END_TXN), ID));
    }
    sightings.add(new Sighting(FaultPoints.of(ApiKey.PRODUCE), OUT));
    List<String> plans = texts(Candidates.of(sightings, TIMES, false));
    assertThat(plans)
        .contains(
            "EndTxn[txn=t]#1:answer-lost",
            "EndTxn[txn=t]#2:delayed=2s",
            "EndTxn[txn=t]#2:answered=NOT_COORDINATOR",
            "Produce[topic=out]#1:request-lost")
        .doesNotContain("Produce[topic=out]#2:request-lost")
        .noneMatch(plan -> plan.contains("broker"))
        .doesNotHaveDuplicates();
  }

  @Test
  void each_plan_is_its_own_line_and_parses_back() {
    List<Sighting> sightings = new ArrayList<>();
    FaultPoints.all().forEach(point -> sightings.add(new Sighting(point, OUT)));
    List<Candidate> all = Candidates.of(sightings, TIMES, true);
    for (Candidate candidate : all) {
      assertThat(FaultPlan.parse(candidate.plan().toString())).isEqualTo(candidate.plan());
    }
    assertThat(texts(all)).doesNotHaveDuplicates();
  }

  @Test
  void a_job_is_killed_paused_and_failed_at_its_steps() {
    assertThat(
            texts(Candidates.of(List.of(new Sighting(FaultPoints.AFTER_STAGE, ID)), TIMES, false)))
        .containsExactly(
            "kill job@after-stage[txn=t]#1",
            "pause job@after-stage[txn=t]#1 for 3s",
            "after-stage[txn=t]#1:failed");
  }

  @Test
  void combinations_break_different_places_and_are_the_same_for_the_same_seed() {
    List<Sighting> sightings = new ArrayList<>();
    FaultPoints.all().forEach(point -> sightings.add(new Sighting(point, ID)));
    List<Candidate> singles = Candidates.of(sightings, TIMES, true);
    List<Candidate> combined = Candidates.combined(singles, singles, 100, 7);
    assertThat(combined).hasSize(100).isEqualTo(Candidates.combined(singles, singles, 100, 7));
    assertThat(combined).isNotEqualTo(Candidates.combined(singles, singles, 100, 8));
    for (Candidate candidate : combined) {
      assertThat(candidate.plan().faults()).hasSizeBetween(2, 3);
      assertThat(candidate.plan().faults().stream().map(fault -> fault.where()))
          .doesNotHaveDuplicates();
    }
  }

  @Test
  void what_breaks_brokers_needs_a_cluster_and_what_breaks_jobs_or_requests_does_not() {
    assertThat(new Candidate(FaultPlan.parse("kill broker 2@EndTxn#3")).needsCluster()).isTrue();
    assertThat(new Candidate(FaultPlan.parse("after-append#3:failed")).needsCluster()).isTrue();
    assertThat(new Candidate(FaultPlan.parse("kill job@EndTxn#3")).needsCluster()).isFalse();
    assertThat(new Candidate(FaultPlan.parse("EndTxn#3:answer-lost")).needsCluster()).isFalse();
  }

  private static List<String> texts(List<Candidate> candidates) {
    return candidates.stream().map(candidate -> candidate.plan().toString()).toList();
  }
}
