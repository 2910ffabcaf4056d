package io.fencepost.samples.bench;

import java.time.Duration;

/**
 * What else ran during a measurement: read it before believing a figure.
 *
 * @param othersPercent of all cores' time that neither this JVM nor the measured processes took
 * @param load runnable tasks in the mean of the last minute, those of the measurement included
 */
record Around(double othersPercent, double load) {
  /** Between a mark and now. */
  static Around since(Machine.Mark mark, Duration measuredCpu, Duration wall) {
    return new Around(Machine.othersPercent(mark, measuredCpu, wall), Machine.load());
  }
}
