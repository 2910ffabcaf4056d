package io.fencepost.samples.bench;

import java.io.IOException;

/** Brokers that can be killed one by one. Not thread-safe. */
interface Cluster extends Brokers {
  /** Ends a broker without any warning; returns once it is gone. */
  void kill(int broker) throws IOException, InterruptedException;

  /** Starts a killed broker again on its port and directory; it may get ready later. */
  void restart(int broker) throws IOException;
}
