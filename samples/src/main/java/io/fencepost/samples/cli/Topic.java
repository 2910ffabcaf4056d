package io.fencepost.samples.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The topics of a running cluster. */
@Command(
    name = "topic",
    description = "Look at and change the topics of a running cluster.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      TopicList.class,
      TopicDescribe.class,
      TopicCreate.class,
      TopicAlter.class,
      TopicDelete.class
    },
    footer = {
      "",
      "Examples:",
      "  fencepost topic list --bootstrap localhost:9092",
      "  fencepost topic create payments --partitions 3 --bootstrap localhost:9092"
    })
final class Topic implements Runnable {
  @Spec private CommandSpec spec;

  @Mixin final CommonOptions common = new CommonOptions();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is needed");
  }
}
