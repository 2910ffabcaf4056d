package io.fencepost.samples.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The labs, one sub-command each. */
@Command(
    name = "lab",
    description = "Break one thing on purpose and see what a delivery guarantee is worth.",
    synopsisSubcommandLabel = "LAB",
    subcommands = {
      ForcedRetry.class,
      ExactRetry.class,
      Zombie.class,
      DeliveryOrder.class,
      TransactionSteps.class,
      Hanging.class,
      LeaderFailure.class,
      CoordinatorFailover.class,
    },
    footer = {
      "",
      "Examples:",
      "  fencepost lab forced-retry --idempotent false",
      "  fencepost lab zombie --bootstrap localhost:9092",
    })
final class Lab implements Runnable {
  @Spec private CommandSpec spec;

  @Mixin final CommonOptions common = new CommonOptions();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a lab is needed");
  }
}
