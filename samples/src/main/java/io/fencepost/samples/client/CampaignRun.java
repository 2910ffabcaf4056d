package io.fencepost.samples.client;

import io.fencepost.samples.report.Rows;
import io.fencepost.testkit.campaign.Fault;
import io.fencepost.testkit.campaign.main.Campaign;
import io.fencepost.testkit.campaign.main.CampaignReport;
import io.fencepost.testkit.history.Invariants;
import io.fencepost.testkit.history.Verdict;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A campaign from the command line, and its report. */
public final class CampaignRun {
  private static final int PAUSE_MS = 800;

  private CampaignRun() {}

  /**
   * What is to be run.
   *
   * @param rerun the command that runs the same plan again
   */
  public record Asked(long seed, int seconds, int records, String rerun) {}

  /**
   * What came of it.
   *
   * @param files where the cluster's files are; null if they are gone
   */
  public record Result(Asked asked, CampaignReport report, @Nullable Path files) {
    /** Whether no invariant was broken. */
    public boolean passes() {
      return report.passes();
    }

    private Rows faults() {
      Rows rows = new Rows("fault", "fired");
      for (Fault fault : Fault.values()) {
        rows.row(fault.label(), report.fired().getOrDefault(fault, 0));
      }
      return rows;
    }

    private Rows counts(String heading, Map<String, Integer> counts) {
      Rows rows = new Rows(heading, "count");
      counts.forEach(rows::row);
      return rows;
    }

    private Rows verdicts() {
      Rows rows = new Rows("id", "verdict", "occasions", "invariant");
      report
          .verdicts()
          .forEach(
              (id, verdict) ->
                  rows.row(
                      id,
                      verdict.label(),
                      verdict instanceof Verdict.Pass pass ? pass.occasions() : null,
                      Invariants.sentence(id)));
      return rows;
    }

    private Map<String, String> witnesses() {
      Map<String, String> witnesses = new LinkedHashMap<>();
      report
          .verdicts()
          .forEach(
              (id, verdict) -> {
                if (verdict instanceof Verdict.Fail fail) {
                  witnesses.put(id, fail.witness());
                }
              });
      return witnesses;
    }

    /** For JSON. */
    public Map<String, Object> toObject() {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("passes", passes());
      object.put("seed", asked.seed);
      object.put("rerun", asked.rerun);
      object.put("group_protocol", report.groupProtocol());
      object.put("faults", faults().toObjects());
      object.put("transactions", report.tally().counts());
      object.put("client_errors", report.tally().errors());
      object.put("verdicts", verdicts().toObjects());
      object.put("witnesses", witnesses());
      object.put("plan", report.journal());
      object.put("files", files == null ? null : files.toString());
      return object;
    }

    /** For people; the plan is shown only if something was broken. */
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      text.append(faults()).append('\n');
      text.append(counts("transactions", report.tally().counts())).append('\n');
      text.append(counts("client error", report.tally().errors())).append('\n');
      text.append(verdicts()).append('\n');
      if (!passes()) {
        report.journal().forEach(step -> text.append(step).append('\n'));
        witnesses()
            .forEach((id, witness) -> text.append(id).append(": ").append(witness).append('\n'));
        text.append("files: ").append(files).append('\n');
      }
      long broken = witnesses().size();
      text.append(broken == 0 ? "everything held\n" : broken + " broken\n");
      return text.append("rerun: ").append(asked.rerun).toString();
    }
  }

  /**
   * Runs to the end.
   *
   * @param dir where the files stay; null for a temporary place, which is kept if something broke
   * @throws UsageException if the directory is not empty
   */
  public static Result run(Asked asked, @Nullable Path dir, Campaign.Progress progress) {
    Campaign.Options options =
        new Campaign.Options(asked.seed, asked.seconds, asked.records, PAUSE_MS);
    if (dir != null) {
      if (Files.exists(dir)) {
        throw new UsageException("--dir " + dir + " exists: a campaign needs a new directory");
      }
      return new Result(asked, Campaign.run(options, dir, progress), dir);
    }
    TemporaryDirectory temporary = TemporaryDirectory.create("fencepost-campaign");
    CampaignReport report = Campaign.run(options, temporary.path(), progress);
    if (report.passes()) {
      temporary.close();
      return new Result(asked, report, null);
    }
    return new Result(asked, report, temporary.path());
  }
}
