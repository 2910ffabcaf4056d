package io.fencepost.samples.client;

import io.fencepost.testkit.fault.FaultKind;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.disk.HistoryFile;
import io.fencepost.testkit.prove.ProofReport;
import io.fencepost.testkit.prove.ProofResult;
import io.fencepost.testkit.report.FaultRow;
import io.fencepost.testkit.report.Mark;
import io.fencepost.testkit.report.Report;
import io.fencepost.testkit.report.Run;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A proof as a page to look at. */
public final class ProofPage {
  private ProofPage() {}

  /**
   * The page; of the runs, those that broke something are shown with their histories.
   *
   * @param command runs a plan again, if the plan is put behind it
   */
  public static Report of(ProofReport proof, String command) {
    ProofReport.Row total = proof.total();
    Report.Builder page =
        Report.titled("Proof of %s, seed %d".formatted(proof.subject(), proof.seed()))
            .fact("fault points", proof.pointCount())
            .fact("runs", total.runs())
            .fact("runs that broke something", total.violations())
            .fact("took", String.format(Locale.ROOT, "%.0f s", proof.millis() / 1000.0))
            .verdicts(proof.verdicts());
    proof.rows().forEach(row -> page.faults(row(row)));
    page.faults(row(total));
    if (proof.stability() != null) {
      page.caution("P1 was not checked: " + proof.stability());
    }
    if (!proof.missing().isEmpty()) {
      page.caution("Never brought about: " + String.join(", ", proof.missing()) + ".");
    }
    for (ProofResult result : proof.unfired()) {
      page.caution("Not fired, as the job did not pass there as often: " + result.unfired());
    }
    proof.failures().forEach(failure -> page.run(run(failure, command)));
    return page.build();
  }

  private static FaultRow row(ProofReport.Row row) {
    ProofResult.Counts counts = row.counts();
    return new FaultRow(
        row.kind(),
        row.runs(),
        row.fired(),
        counts.aborts(),
        counts.fenced(),
        counts.retries(),
        counts.restarts(),
        (long) row.violations());
  }

  private static Run run(ProofReport.Failure failure, String command) {
    ProofResult result = failure.result();
    String plan = result.candidate().plan().toString();
    History history = history(result.history());
    List<Mark> marks =
        history.events().isEmpty()
            ? result.fired().stream()
                .map(fired -> Mark.fault(fired.wallMs(), fired.fault().toString()))
                .toList()
            : List.of();
    long dropped =
        result.fired().stream()
            .filter(fired -> fired.action().kind() == FaultKind.ANSWER_LOST)
            .count();
    return Run.of(plan.isEmpty() ? "no fault" : plan, history, result.verdicts())
        .marked(marks)
        .planned(plan.isEmpty() ? null : plan)
        .rerunBy("%s'%s'".formatted(command, failure.smallest()))
        .dropped(dropped);
  }

  private static History history(@Nullable String file) {
    if (file == null) {
      return new History();
    }
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      return HistoryFile.read(in).history();
    } catch (IOException e) {
      throw new UsageException("the history %s cannot be read: %s".formatted(file, e), e);
    }
  }
}
