package io.fencepost.broker.replica;

import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.Meters;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.testing.BrokerSteps;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What the partitions of a broker borrow from it.
 *
 * @param brokerEpoch of the broker's registration, as it is now
 * @param lagNanos how long a follower may lag and still count as in sync, as it is set now
 * @param notices what an operator should know
 * @param meters hears what the partitions do
 * @param steps is asked before and after what they do
 */
public record ReplicaWorld(
    int brokerId,
    LongSupplier brokerEpoch,
    Clock clock,
    Scheduler scheduler,
    Peers peers,
    IsrProposals proposals,
    LongSupplier lagNanos,
    Consumer<String> notices,
    Meters meters,
    BrokerSteps steps) {
  private static final long DEFAULT_LAG_NANOS = 30_000_000_000L;

  /** A broker that is alone, with nobody to listen. */
  public static ReplicaWorld alone(Clock clock, Scheduler scheduler) {
    return alone(clock, scheduler, notice -> {}, Meters.NONE);
  }

  /** A broker that is alone. */
  public static ReplicaWorld alone(
      Clock clock, Scheduler scheduler, Consumer<String> notices, Meters meters) {
    return new ReplicaWorld(
        0,
        () -> -1,
        clock,
        scheduler,
        Peers.NONE,
        IsrProposals.NONE,
        () -> DEFAULT_LAG_NANOS,
        notices,
        meters,
        BrokerSteps.NONE);
  }
}
