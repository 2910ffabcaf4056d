package io.fencepost.testkit.prove.main;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.testing.Rule;
import io.fencepost.streams.testing.JobRule;
import io.fencepost.testkit.prove.Mutant;
import io.fencepost.testkit.report.Report;
import io.fencepost.testkit.report.Run;
import io.fencepost.testkit.report.disk.ReportFile;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** S2: a fault of each kind that real products have had is noticed. */
@Timeout(120)
class MutantsIT {
  @ParameterizedTest
  @EnumSource(Mutant.class)
  void s2_a_mutant_is_caught_and_the_same_story_without_it_is_sound(Mutant mutant) {
    Mutants.Result result = Mutants.run(mutant);
    assertThat(result.isCaught()).as(result.toString()).isTrue();
    assertThat(result.witness()).as(result.toString()).isNotEmpty();
  }

  /** The zombie's commit ends one partition of its successor's transaction, which then aborts. */
  @Test
  void a_torn_transaction_is_seen_as_a_picture() throws IOException {
    Mutants.Result result = Mutants.run(Mutant.END_TXN_IGNORES_EPOCH);
    assertThat(result.witnesses()).containsKeys("C10", "L4", "V3");
    Report report =
        Report.titled(result.mutant().label())
            .brokenOnPurpose(1, 1)
            .run(Run.of("mutant", result.history(), result.verdicts()))
            .build();
    assertThat(report.standing()).isEqualTo(Report.Standing.CAUGHT);
    assertThat(ReportFile.page(report))
        .contains("of job-2.1/1, scan-committed saw one record and not another")
        .contains("aborted, and read")
        .contains("pause job@before-end");
  }

  @Test
  void there_are_sixteen_and_each_rule_has_one() {
    assertThat(Mutant.values()).hasSize(16);
    assertThat(Rule.values().length + JobRule.values().length).isEqualTo(16);
  }

  @AfterEach
  void every_rule_holds_again() {
    assertThat(Arrays.stream(Rule.values())).allMatch(Rule::holds);
    assertThat(Arrays.stream(JobRule.values())).allMatch(JobRule::holds);
  }
}
