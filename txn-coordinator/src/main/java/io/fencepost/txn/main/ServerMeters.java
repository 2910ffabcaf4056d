package io.fencepost.txn.main;

import io.fencepost.broker.port.Meters;

/** Meters that also look at a running server from time to time. */
public interface ServerMeters extends Meters {
  /** The server runs. */
  void watch(ServerView server);

  /** It is about to stop: it must not be looked at after this returns. */
  void unwatch();
}
