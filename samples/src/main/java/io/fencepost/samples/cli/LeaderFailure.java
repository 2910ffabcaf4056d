package io.fencepost.samples.cli;

import io.fencepost.samples.labs.LeaderFailureLab;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs {@link LeaderFailureLab}. */
@Command(
    name = "leader-failure",
    description = {
      "Kill the leader before its followers have a write, and look for what it had acknowledged.",
      "Runs on three brokers of its own."
    },
    footer = {
      "",
      "Examples:",
      "  fencepost lab leader-failure",
      "  fencepost lab leader-failure --acks all",
      "  fencepost lab leader-failure --acks all --min-isr 1 -o json",
    })
final class LeaderFailure implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--acks",
      paramLabel = "1|all",
      description = "When the producer's write is acknowledged. Default: ${DEFAULT-VALUE}")
  private String acks = "1";

  @Option(
      names = "--min-isr",
      paramLabel = "N",
      description = "min.insync.replicas of the topic, 1 or 2. Default: ${DEFAULT-VALUE}")
  private int minIsr = 2;

  @Mixin private final LabOutput output = new LabOutput();

  @Override
  public Integer call() {
    require(acks.equals("1") || acks.equals("all"), "--acks " + acks + ": it is 1 or all");
    require(
        minIsr == 1 || minIsr == 2,
        "--min-isr " + minIsr + ": it is 1 or 2, as two of three brokers are left");
    LeaderFailureLab lab = new LeaderFailureLab(acks.equals("all"), minIsr);
    return output.print(lab.run(), spec.commandLine().getOut());
  }

  private void require(boolean condition, String rule) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), rule);
    }
  }
}
