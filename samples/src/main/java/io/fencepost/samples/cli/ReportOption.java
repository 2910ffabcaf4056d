package io.fencepost.samples.cli;

import io.fencepost.samples.client.UsageException;
import io.fencepost.testkit.report.Report;
import io.fencepost.testkit.report.disk.ReportFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a command writes its page. */
final class ReportOption {
  @Option(
      names = "--report",
      paramLabel = "FILE.html",
      description = "Write a page to look at: what was broken, a timeline, the logs, all figures.")
  private @Nullable Path file;

  /**
   * Writes it, if it is asked for.
   *
   * @throws UsageException if it cannot be written
   */
  void write(Supplier<Report> report) {
    if (file == null) {
      return;
    }
    try {
      ReportFile.write(report.get(), file);
    } catch (IOException e) {
      throw new UsageException("the report %s cannot be written: %s".formatted(file, e), e);
    }
  }
}
