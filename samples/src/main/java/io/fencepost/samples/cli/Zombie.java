package io.fencepost.samples.cli;

import io.fencepost.samples.labs.ZombieLab;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs {@link ZombieLab}. */
@Command(
    name = "zombie",
    description = "Two producers with one transactional id: the older is fenced in every call.",
    footer = {
      "",
      "Examples:",
      "  fencepost lab zombie",
      "  fencepost lab zombie --bootstrap localhost:9092 -o json",
    })
final class Zombie implements Callable<Integer> {
  @Mixin private final LabOptions options = new LabOptions();

  @Override
  public Integer call() {
    return options.run((session, run) -> new ZombieLab(session, run).run());
  }
}
