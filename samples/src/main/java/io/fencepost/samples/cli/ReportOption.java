package io.fencepost.samples.cli;

import io.fencepost.samples.client.UsageException;
import io.fencepost.testkit.report.Report;
import io.fencepost.testkit.report.disk.ReportFile;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
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
   * Before work that takes long is done for a page that nobody gets.
   *
   * @throws UsageException if it could not be written
   */
  void check() {
    if (file == null) {
      return;
    }
    try {
      if (Files.isDirectory(file)) {
        throw new FileSystemException(file.toString(), null, "a directory");
      }
      ReportFile.makeDirectory(file);
      if (!Files.isWritable(Files.exists(file) ? file : file.toAbsolutePath().getParent())) {
        throw new AccessDeniedException(file.toString());
      }
    } catch (IOException e) {
      throw refused(file, e);
    }
  }

  private static UsageException refused(Path file, IOException e) {
    return new UsageException("the report %s cannot be written: %s".formatted(file, e), e);
  }

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
      throw refused(file, e);
    }
  }
}
