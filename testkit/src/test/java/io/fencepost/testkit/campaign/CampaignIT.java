package io.fencepost.testkit.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.testkit.campaign.main.Campaign;
import io.fencepost.testkit.campaign.main.CampaignReport;
import io.fencepost.testkit.history.Verdict;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The campaign in short. For longer: {@code ./fencepost campaign --minutes 10}; to repeat a plan:
 * {@code -Dfencepost.seed=0x…} (what clients do meanwhile still differs).
 */
class CampaignIT {
  private static final int SECONDS = Integer.getInteger("fencepost.campaign.seconds", 15);
  private static final int RECORDS = Integer.getInteger("fencepost.campaign.records", 12_000);
  private static final int PAUSE_MS = 600;

  private final long seed = Long.getLong("fencepost.seed", System.nanoTime());

  @Test
  @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void a_cluster_under_fire_keeps_every_guarantee(@TempDir Path dir) {
    CampaignReport report =
        Campaign.run(
            new Campaign.Options(seed, SECONDS, RECORDS, PAUSE_MS),
            dir.resolve("cluster"),
            (what, done, total) -> {});
    String run =
        "seed 0x%x, %s, faults %s, transactions %s, errors %s%n%s%n"
            .formatted(
                seed,
                report.groupProtocol(),
                report.fired(),
                report.tally().counts(),
                report.tally().errors(),
                String.join("\n", report.journal()));
    assertThat(report.passes()).as("%s%s", run, report.verdicts()).isTrue();
    assertThat(report.fired().keySet().stream().filter(Fault::hurtsBroker)).as(run).isNotEmpty();
    assertThat(report.verdicts())
        .as(run)
        .allSatisfy((id, verdict) -> assertThat(verdict).as(id).isInstanceOf(Verdict.Pass.class));
  }
}
