package io.fencepost.samples.client;

import io.fencepost.samples.report.Rows;
import io.fencepost.testkit.campaign.Fault;
import io.fencepost.testkit.campaign.main.Campaign;
import io.fencepost.testkit.campaign.main.CampaignReport;
import io.fencepost.testkit.history.Invariants;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.history.disk.HistoryWriter;
import io.fencepost.testkit.main.TemporaryDirectory;
import io.fencepost.testkit.report.FaultRow;
import io.fencepost.testkit.report.Report;
import io.fencepost.testkit.report.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
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
   * @param history where the history is; null if it is gone
   */
  public record Result(
      Asked asked, CampaignReport report, @Nullable Path files, @Nullable Path history) {
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
                } else if (verdict instanceof Verdict.Unknown unknown) {
                  witnesses.put(id, unknown.witness());
                }
              });
      return witnesses;
    }

    /** For a page to look at. */
    public Report page() {
      Report.Builder page =
          Report.titled("Campaign on three brokers, seed " + asked.seed)
              .fact("broken for", asked.seconds + " s")
              .fact("group protocol", report.groupProtocol().toLowerCase(Locale.ROOT))
              .rerun(asked.rerun)
              .run(Run.of("campaign", report.history(), report.verdicts()));
      report.tally().counts().forEach(page::fact);
      long all = 0;
      for (Fault fault : Fault.values()) {
        if (!fault.isRepair()) {
          int fired = report.fired().getOrDefault(fault, 0);
          all += fired;
          page.faults(FaultRow.of(fault.label(), 1, fired));
        }
      }
      page.faults(total(all));
      page.faultsNote(
          "A campaign is one run in which faults overlap, so which of them a transaction was"
              + " aborted by, or a session fenced, cannot be told: that is counted of all together."
              + " Aborted leaves out what was aborted on purpose; retried is what was written"
              + " again.");
      return page.build();
    }

    private FaultRow total(long fired) {
      return new FaultRow(
          "all",
          1,
          fired,
          (long) report.tally().count("aborted after an error"),
          (long) report.tally().count("fenced"),
          (long) report.tally().count("written again"),
          null,
          report.verdicts().values().stream().anyMatch(it -> it instanceof Verdict.Fail) ? 1L : 0L);
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
      object.put("history", history == null ? null : history.toString());
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
        text.append("history: ").append(history).append('\n');
      }
      long broken = witnesses().size();
      text.append(broken == 0 ? "everything held\n" : broken + " broken or unknown\n");
      return text.append("rerun: ").append(asked.rerun).toString();
    }
  }

  /**
   * Runs to the end.
   *
   * @param dir where the files stay; null for a temporary place, which is kept if something broke
   * @param history where the history is written; null for a temporary file, likewise
   * @throws UsageException if the directory is not empty, or a place cannot be written
   */
  public static Result run(
      Asked asked, @Nullable Path dir, @Nullable Path history, Campaign.Progress progress) {
    if (dir != null && Files.exists(dir)) {
      throw new UsageException("--dir " + dir + " exists: a campaign needs a new directory");
    }
    TemporaryDirectory temporary = TemporaryDirectory.create("fencepost-campaign");
    Path files = dir == null ? temporary.path().resolve("cluster") : dir;
    Path written = history == null ? temporary.path().resolve("history.jsonl") : history;
    CampaignReport report = runInto(asked, files, written, progress);
    if (report.passes() || (dir != null && history != null)) {
      temporary.close();
      return new Result(asked, report, dir, history);
    }
    temporary.keep();
    return new Result(asked, report, files, written);
  }

  private static CampaignReport runInto(
      Asked asked, Path files, Path written, Campaign.Progress progress) {
    Campaign.Options options =
        new Campaign.Options(asked.seed, asked.seconds, asked.records, PAUSE_MS);
    try (HistoryWriter writer = HistoryWriter.create(written)) {
      return Campaign.run(options, files, writer, progress);
    } catch (IOException e) {
      throw new UsageException("the history %s cannot be written: %s".formatted(written, e), e);
    }
  }
}
