package io.fencepost.samples.cli;

import io.fencepost.samples.labs.ForcedRetryLab;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs {@link ForcedRetryLab}. */
@Command(
    name = "forced-retry",
    description = {
      "Lose answers on the wire and count the duplicates.",
      "Sends records through a proxy that cuts the connection after the broker did the work and",
      "before its answer arrives."
    },
    footer = {
      "",
      "Examples:",
      "  fencepost lab forced-retry",
      "  fencepost lab forced-retry --idempotent false",
      "  fencepost lab forced-retry --messages 500 --drop-rate 0.4 --seed 7 -o json",
    })
final class ForcedRetry implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--messages",
      paramLabel = "N",
      description = "Records to send. Default: ${DEFAULT-VALUE}")
  private int messages = 200;

  @Option(
      names = "--drop-rate",
      paramLabel = "RATE",
      description = "Share of produce answers that are lost. Default: ${DEFAULT-VALUE}")
  private double dropRate = 0.35;

  @Option(
      names = "--idempotent",
      arity = "1",
      paramLabel = "true|false",
      description = "enable.idempotence of the producer. Default: ${DEFAULT-VALUE}")
  private boolean idempotent = true;

  @Option(
      names = "--retries",
      paramLabel = "N",
      description = "How often the client retries a record. Default: ${DEFAULT-VALUE}")
  private int retries = 30;

  @Option(
      names = "--delivery-timeout",
      paramLabel = "TIME",
      converter = TimeSpan.class,
      description = "When the client gives a record up, like 60s or 500ms. Default: 60s")
  private Duration deliveryTimeout = Duration.ofSeconds(60);

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Decides which answers are lost. Default: ${DEFAULT-VALUE}")
  private long seed = 1;

  @Mixin private final LabOptions options = new LabOptions();

  @Override
  public Integer call() {
    require(messages >= 1 && messages <= 1_000_000, "--messages is from 1 to 1000000");
    require(dropRate >= 0 && dropRate < 1, "--drop-rate is from 0 to below 1");
    require(retries >= 0, "--retries is not below 0");
    require(deliveryTimeout.toMillis() >= 1, "--delivery-timeout is at least 1ms");
    ForcedRetryLab.Options asked =
        new ForcedRetryLab.Options(messages, dropRate, idempotent, retries, deliveryTimeout, seed);
    return options.run((session, run) -> new ForcedRetryLab(session, run, asked).run());
  }

  private void require(boolean condition, String rule) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), rule);
    }
  }
}
