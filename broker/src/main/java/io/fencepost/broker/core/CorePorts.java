package io.fencepost.broker.core;

import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.Entropy;
import io.fencepost.broker.port.Meters;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.testing.BrokerSteps;
import java.util.function.Consumer;

/**
 * The world that a core is put into.
 *
 * @param notices what an operator should know
 * @param meters hears what the broker does
 * @param steps is asked before and after what it does
 */
public record CorePorts(
    Clock clock,
    Scheduler scheduler,
    Entropy entropy,
    Disk disk,
    Consumer<String> notices,
    Meters meters,
    BrokerSteps steps) {
  /** Nobody reads the notices, nobody listens. */
  public CorePorts(Clock clock, Scheduler scheduler, Entropy entropy, Disk disk) {
    this(clock, scheduler, entropy, disk, notice -> {}, Meters.NONE, BrokerSteps.NONE);
  }
}
