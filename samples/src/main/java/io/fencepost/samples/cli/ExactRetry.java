package io.fencepost.samples.cli;

import io.fencepost.samples.labs.ExactRetryLab;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs {@link ExactRetryLab}. */
@Command(
    name = "exact-retry",
    description = "Send the same batch twice, byte for byte, and see what the log does.",
    footer = {
      "",
      "Examples:",
      "  fencepost lab exact-retry",
      "  fencepost lab exact-retry --bootstrap localhost:9092 -o json",
    })
final class ExactRetry implements Callable<Integer> {
  @Mixin private final LabOptions options = new LabOptions();

  @Override
  public Integer call() {
    return options.run((session, run) -> new ExactRetryLab(session, run).run());
  }
}
