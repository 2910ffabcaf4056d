package io.fencepost.samples.cli;

import io.fencepost.samples.labs.DeliveryOrderLab;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs {@link DeliveryOrderLab}. */
@Command(
    name = "delivery-order",
    description =
        "Process then commit replays, commit then process skips, a transaction does neither.",
    footer = {
      "",
      "Examples:",
      "  fencepost lab delivery-order",
      "  fencepost lab delivery-order --bootstrap localhost:9092 -o json",
    })
final class DeliveryOrder implements Callable<Integer> {
  @Mixin private final LabOptions options = new LabOptions();

  @Override
  public Integer call() {
    return options.run((session, run) -> new DeliveryOrderLab(session, run).run());
  }
}
