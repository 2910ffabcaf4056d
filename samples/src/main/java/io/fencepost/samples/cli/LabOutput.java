package io.fencepost.samples.cli;

import io.fencepost.samples.report.Json;
import io.fencepost.samples.report.LabReport;
import java.io.PrintWriter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How every lab reports. */
final class LabOutput {
  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "table or json. Default: table")
  private OutputFormat format = OutputFormat.TABLE;

  @Mixin final CommonOptions common = new CommonOptions();

  /** Prints the report and answers the exit code. */
  int print(LabReport report, PrintWriter out) {
    out.println(format == OutputFormat.JSON ? Json.text(report.toObject()) : report.toString());
    return report.passes() ? ExitCode.OK : ExitCode.CHECK_FAILED;
  }
}
