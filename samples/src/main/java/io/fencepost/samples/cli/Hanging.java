package io.fencepost.samples.cli;

import io.fencepost.samples.labs.HangingLab;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Runs {@link HangingLab}. */
@Command(
    name = "hanging",
    description = {
      "Leave transactions open: who is held up, how they are found, how they are ended.",
      "Runs on a broker of its own."
    },
    footer = {
      "",
      "Examples:",
      "  fencepost lab hanging",
      "  fencepost lab hanging -o json",
    })
final class Hanging implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private final LabOutput output = new LabOutput();

  @Override
  public Integer call() {
    return output.print(new HangingLab().run(), spec.commandLine().getOut());
  }
}
