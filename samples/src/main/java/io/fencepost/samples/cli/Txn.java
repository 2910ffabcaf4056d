package io.fencepost.samples.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The transactions of a running cluster. */
@Command(
    name = "txn",
    description = "Look at and end the transactions of a running cluster.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      TxnBlockers.class,
      TxnList.class,
      TxnDescribe.class,
      TxnHanging.class,
      TxnFence.class,
      TxnAbort.class
    },
    footer = {
      "",
      "Examples:",
      "  fencepost txn blockers --bootstrap localhost:9092   who keeps readers from going on",
      "  fencepost txn describe payments-1 --bootstrap localhost:9092"
    })
final class Txn implements Runnable {
  @Spec private CommandSpec spec;

  @Mixin final CommonOptions common = new CommonOptions();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is needed");
  }
}
