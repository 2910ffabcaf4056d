package io.fencepost.samples.cli;

import io.fencepost.samples.client.UsageException;
import io.fencepost.samples.report.HistoryReport;
import io.fencepost.samples.report.Json;
import io.fencepost.samples.report.Rows;
import io.fencepost.testkit.history.Check;
import io.fencepost.testkit.history.EventNames;
import io.fencepost.testkit.history.Verification;
import io.fencepost.testkit.history.disk.HistoryFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Checks the history of a run, whoever wrote it. */
@Command(
    name = "verify",
    description = {
      "Check a history: JSON lines of what producers, readers and brokers did and saw.",
      "A verdict for each invariant: pass, FAIL with the smallest set of events that shows it,",
      "vacuous if the history gave it no chance to be broken, or unknown with the reason.",
      "docs/history.md says how to write one, in any language."
    },
    footer = {
      "",
      "Examples:",
      "  fencepost verify history.jsonl",
      "  fencepost verify history.jsonl --check V1,V2 --check L6",
      "  fencepost campaign --history history.jsonl && fencepost verify history.jsonl -o json",
      "  fencepost verify history.jsonl --report history.html",
      "  fencepost verify --list",
      "",
      "Exit codes: 0 nothing is broken, 1 something is broken or unknown or a line cannot be read,",
      "2 bad usage."
    })
final class Verify implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", arity = "0..1", description = "The history; - for stdin.")
  private @Nullable Path file;

  @Option(
      names = "--check",
      paramLabel = "ID",
      split = ",",
      description = "Only these invariants. Default: all")
  private List<String> ids = new ArrayList<>();

  @Option(names = "--list", description = "Show the invariants and what each needs to be checked.")
  private boolean isList;

  @Mixin final ReportOption page = new ReportOption();

  @Option(
      names = {"-o", "--output", "--format"},
      paramLabel = "FORMAT",
      description = "table or json. Default: table")
  private OutputFormat format = OutputFormat.TABLE;

  @Mixin final CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    List<Check> checks = checks();
    PrintWriter out = spec.commandLine().getOut();
    if (isList) {
      Rows rows = list(checks);
      out.println(
          format == OutputFormat.JSON
              ? Json.text(Map.of("invariants", rows.toObjects()))
              : rows.toString().stripTrailing());
      return ExitCode.OK;
    }
    if (file == null) {
      throw new ParameterException(spec.commandLine(), "a history is needed, or --list");
    }
    page.check();
    HistoryReport report = HistoryReport.of(read(file), checks);
    out.println(format == OutputFormat.JSON ? Json.text(report.toObject()) : report.toString());
    page.write(() -> report.page(String.valueOf(file)));
    return report.passes() ? ExitCode.OK : ExitCode.CHECK_FAILED;
  }

  private List<Check> checks() {
    List<Check> all = Verification.checks();
    List<String> wanted = ids.stream().map(id -> id.strip().toUpperCase(Locale.ROOT)).toList();
    List<String> known = all.stream().map(Check::id).toList();
    for (String id : wanted) {
      if (!known.contains(id)) {
        throw new ParameterException(
            spec.commandLine(),
            "--check %s: no such invariant, there are %s".formatted(id, String.join(", ", known)));
      }
    }
    return wanted.isEmpty()
        ? all
        : all.stream().filter(check -> wanted.contains(check.id())).toList();
  }

  private static Rows list(List<Check> checks) {
    Rows rows = new Rows("id", "invariant", "needs events");
    for (Check check : checks) {
      rows.row(
          check.id(),
          check.sentence(),
          check.needs().stream().map(EventNames::of).distinct().collect(Collectors.joining(", ")));
    }
    return rows;
  }

  private static HistoryFile read(Path file) {
    if (!file.toString().equals("-") && !Files.isRegularFile(file)) {
      throw new UsageException("there is no file " + file);
    }
    try (InputStream in = file.toString().equals("-") ? System.in : Files.newInputStream(file)) {
      HistoryFile history = HistoryFile.read(in);
      if (history.history().events().isEmpty() && history.badLineCount() > 0) {
        HistoryFile.BadLine first = history.badLines().get(0);
        throw new UsageException(
            "%s is no history: line %d: %s".formatted(file, first.number(), first.expected()));
      }
      return history;
    } catch (IOException e) {
      throw new UsageException("%s cannot be read: %s".formatted(file, e.getMessage()), e);
    }
  }
}
