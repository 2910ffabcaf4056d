package io.fencepost.samples.cli;

import io.fencepost.samples.client.RunId;
import io.fencepost.samples.client.Session;
import io.fencepost.samples.report.Json;
import io.fencepost.samples.report.LabReport;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What all labs have in common: where they run, and how they report. */
final class LabOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--bootstrap",
      paramLabel = "HOST:PORT",
      description = "Run on this cluster; without it on an embedded broker.")
  private @Nullable String bootstrap;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "table or json. Default: table")
  private OutputFormat format = OutputFormat.TABLE;

  @Mixin final CommonOptions common = new CommonOptions();

  /** A lab that is ready to run. */
  interface Work {
    LabReport run(Session session, String run);
  }

  /** Runs the lab on a session of its own, prints its report and answers the exit code. */
  int run(Work lab) {
    LabReport report;
    try (Session session = Session.open(bootstrap)) {
      report = lab.run(session, RunId.next());
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(format == OutputFormat.JSON ? Json.text(report.toObject()) : report.toString());
    return report.passes() ? ExitCode.OK : ExitCode.CHECK_FAILED;
  }
}
