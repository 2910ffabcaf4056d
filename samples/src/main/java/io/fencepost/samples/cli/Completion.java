package io.fencepost.samples.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints the completion script of the shell. */
@Command(
    name = "completion",
    description = "Print a completion script for bash and zsh.",
    footer = {"", "Example:", "  source <(./fencepost completion)"})
final class Completion implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin final CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    CommandLine root = spec.root().commandLine();
    spec.commandLine().getOut().print(AutoComplete.bash("fencepost", root));
    spec.commandLine().getOut().flush();
    return ExitCode.OK;
  }
}
