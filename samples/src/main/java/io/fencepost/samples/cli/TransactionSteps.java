package io.fencepost.samples.cli;

import io.fencepost.samples.labs.TransactionLab;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs {@link TransactionLab}. */
@Command(
    name = "transaction",
    description = "Two transactions and a plain producer, step by step: log, LSO, HW, readers.",
    footer = {
      "",
      "Examples:",
      "  fencepost lab transaction",
      "  fencepost lab transaction --bootstrap localhost:9092 -o json",
    })
final class TransactionSteps implements Callable<Integer> {
  @Mixin private final LabOptions options = new LabOptions();

  @Override
  public Integer call() {
    return options.run((session, run) -> new TransactionLab(session, run).run());
  }
}
