package io.fencepost.samples.bench;

/**
 * What one measured pass of one broker gave.
 *
 * @param cpuMicrosPerOperation CPU time of the broker process per acknowledged operation
 * @param operationsPerSecond by the wall clock; orientation only on a shared machine
 * @param medianMillis of single operations, or NaN where they overlap
 * @param residentBytes of the broker process at the end of the pass
 */
record Pass(
    double cpuMicrosPerOperation,
    double operationsPerSecond,
    double medianMillis,
    long residentBytes) {}
