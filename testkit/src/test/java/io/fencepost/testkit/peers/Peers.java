package io.fencepost.testkit.peers;

import java.time.Duration;
import java.util.Map;

/** What all peers need to know of the broker that they run on. */
interface Peers {
  /** What it is started with: a dead member is missed soon. */
  Map<String, String> SETTINGS = Map.of("group.min.session.timeout.ms", "1000");

  /** A machine may be busy. */
  Duration LIMIT = Duration.ofSeconds(60);

  String bootstrap();
}
