/** Benchmarks side by side with Apache Kafka: alternating passes, quoted as ratios. */
@NullMarked
package io.fencepost.samples.bench;

import org.jspecify.annotations.NullMarked;
