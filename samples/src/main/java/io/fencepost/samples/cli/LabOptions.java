package io.fencepost.samples.cli;

import io.fencepost.samples.client.RunId;
import io.fencepost.samples.client.Session;
import io.fencepost.samples.report.LabReport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What the labs for any cluster have in common: where they run, and how they report. */
final class LabOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--bootstrap",
      paramLabel = "HOST:PORT",
      description = "Run on this cluster; without it on an embedded broker.")
  private @Nullable String bootstrap;

  @Mixin private final LabOutput output = new LabOutput();

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
    return output.print(report, spec.commandLine().getOut());
  }
}
