package io.fencepost.testkit.main;

import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultObserver;
import io.fencepost.testkit.fault.FaultPoint;
import io.fencepost.testkit.fault.Fired;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * A run's fault points in a Micrometer registry, under {@code fencepost.faults.*}. The only class
 * of this module that needs micrometer-core on the class path. Thread-safe.
 */
public final class FaultMeters implements FaultObserver {
  private final MeterRegistry registry;

  private FaultMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Meters in this registry; give them to {@link io.fencepost.testkit.fault.Faults#observedBy}. */
  public static FaultMeters on(MeterRegistry registry) {
    return new FaultMeters(registry);
  }

  @Override
  public void onPassed(FaultPoint point, long occurrence, FaultFacts facts) {
    Counter.builder("fencepost.faults.passed")
        .description("Calls and steps that passed a fault point")
        .tag("point", point.name())
        .register(registry)
        .increment();
  }

  @Override
  public void onFired(Fired fired) {
    Counter.builder("fencepost.faults.fired")
        .description("Faults that were done")
        .tag("point", fired.point().name())
        .tag("action", fired.action().kind().label())
        .register(registry)
        .increment();
  }
}
