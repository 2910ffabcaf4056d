package io.fencepost.samples.bench;

import java.time.Duration;

/** What a contender started, one broker or a cluster, measured as one. Not thread-safe. */
interface Brokers extends AutoCloseable {
  /** The addresses to give to a client. */
  String bootstrap();

  /** Wall time since the first process was launched. */
  Duration age();

  /** User and system time of all processes so far, those that were killed included. */
  Duration cpu();

  /** Resident memory of all processes that run, in bytes. */
  long residentBytes();

  @Override
  void close();
}
