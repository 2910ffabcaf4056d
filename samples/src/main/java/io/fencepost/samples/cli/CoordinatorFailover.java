package io.fencepost.samples.cli;

import io.fencepost.samples.labs.CoordinatorFailoverLab;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Runs {@link CoordinatorFailoverLab}. */
@Command(
    name = "coordinator-failover",
    description = {
      "Kill the transaction coordinator at each step of a commit: the outcome is all or nothing.",
      "Runs on three brokers of its own."
    },
    footer = {
      "",
      "Examples:",
      "  fencepost lab coordinator-failover",
      "  fencepost lab coordinator-failover -o json",
    })
final class CoordinatorFailover implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private final LabOutput output = new LabOutput();

  @Override
  public Integer call() {
    return output.print(new CoordinatorFailoverLab().run(), spec.commandLine().getOut());
  }
}
