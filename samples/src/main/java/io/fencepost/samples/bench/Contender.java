package io.fencepost.samples.bench;

import java.nio.file.Path;

/** One side of a comparison: knows how to start itself in an empty directory. */
interface Contender {
  String name();

  /**
   * Starts the broker or brokers and returns once all accept clients.
   *
   * @param directory an empty directory that they may fill
   */
  Brokers start(Path directory) throws Exception;
}
