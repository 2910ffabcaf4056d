package io.fencepost.broker.cluster;

import io.fencepost.broker.port.Entropy;
import io.fencepost.broker.wire.Uuid;

/** Makes ids of topics. */
final class TopicIds {
  private TopicIds() {}

  /** One that no topic has. */
  static Uuid fresh(Entropy entropy, ClusterState state) {
    while (true) {
      Uuid id = new Uuid(entropy.nextLong(), entropy.nextLong());
      // Kafka keeps ids 0 and 1 for itself, and its tools choke on ids that begin with a dash.
      boolean reserved = id.high() == 0 && (id.low() == 0 || id.low() == 1);
      if (!reserved && !id.toString().startsWith("-") && state.topic(id) == null) {
        return id;
      }
    }
  }
}
