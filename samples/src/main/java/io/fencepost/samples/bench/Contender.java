package io.fencepost.samples.bench;

import java.nio.file.Path;

/** One of the two brokers of a comparison: knows how to start itself in an empty directory. */
interface Contender {
  String name();

  /**
   * Starts the broker and returns once it accepts clients.
   *
   * @param directory an empty directory that the broker may fill
   */
  BrokerProcess start(Path directory) throws Exception;
}
