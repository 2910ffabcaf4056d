package io.fencepost.samples.bench;

import java.time.Duration;

/**
 * What one measured pass of one broker gave.
 *
 * @param operations that were acknowledged
 * @param cpu of the broker or cluster during the pass
 * @param wall of the pass
 * @param latencies of single operations; empty where they overlap
 * @param residentBytes of the same at the end of the pass
 * @param around what else ran
 */
record Pass(
    long operations,
    Duration cpu,
    Duration wall,
    Latencies latencies,
    long residentBytes,
    Around around) {

  double cpuMicrosPerOperation() {
    return cpu.toNanos() / 1e3 / operations;
  }

  /** By the wall clock; orientation only on a shared machine. */
  double operationsPerSecond() {
    return operations * 1e9 / wall.toNanos();
  }
}
