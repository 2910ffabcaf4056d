package io.fencepost.samples.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The consumer groups of a running cluster. */
@Command(
    name = "group",
    description = "Look at and change the consumer groups of a running cluster.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {GroupList.class, GroupDescribe.class, GroupReset.class, GroupDelete.class},
    footer = {
      "",
      "Examples:",
      "  fencepost group describe clerks --bootstrap localhost:9092",
      "  fencepost group reset clerks --topic payments --to-earliest --bootstrap localhost:9092"
    })
final class Group implements Runnable {
  @Spec private CommandSpec spec;

  @Mixin final CommonOptions common = new CommonOptions();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is needed");
  }
}
