package io.fencepost.broker.core;

import io.fencepost.broker.cluster.Controller;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.Entropy;
import io.fencepost.broker.replica.Peer;
import io.fencepost.broker.replica.Peers;
import java.util.function.Consumer;

/**
 * How a broker belongs to a cluster.
 *
 * @param controller of the whole cluster; this broker is one of those that it was opened for
 * @param peers the other brokers, as this one reaches them
 * @param offer takes what this broker offers to the others, once it is registered
 * @param clusterId whose directories its brokers may use
 */
public record Membership(
    Controller controller, Peers peers, Consumer<Peer> offer, String clusterId) {
  /** Stands in the controller's directory for the id of a broker. */
  private static final int NO_BROKER = 0;

  /**
   * The id of the cluster whose controller has this directory; an empty one gets a new id. Throws
   * {@link io.fencepost.broker.port.DiskException}.
   */
  public static String clusterId(Disk controllerDisk, Entropy entropy) {
    return DirectoryIdentity.claim(controllerDisk, entropy, NO_BROKER).clusterId();
  }
}
