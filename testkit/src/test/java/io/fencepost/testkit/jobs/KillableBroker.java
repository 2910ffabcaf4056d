package io.fencepost.testkit.jobs;

import java.io.IOException;

/** A broker in a process of its own, on one port and one directory. */
interface KillableBroker {
  String bootstrapServers();

  /** As kill -9; returns when the process is gone. */
  void kill() throws InterruptedException;

  /** As SIGTERM; returns when the process is gone. */
  void stop() throws InterruptedException;

  /** On the same directory and port. */
  void restart() throws IOException;

  /** Kills it, if it runs, for good. */
  void close() throws InterruptedException;

  /** Skips a test that waited in vain, if it is the broker that cannot go on. */
  default void excuse(Topics topics) throws Exception {}
}
