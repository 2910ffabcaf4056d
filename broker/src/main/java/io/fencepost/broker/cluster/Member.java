package io.fencepost.broker.cluster;

/**
 * A broker of the cluster as the controller sees it.
 *
 * @param node where clients find it; port 0 as long as it has not registered since the cluster
 *     started
 * @param epoch of its last registration, 0 before the first: a broker that was started again has a
 *     higher one (KIP-841)
 */
public record Member(BrokerNode node, long epoch, Status status) {
  /** Whether a broker takes part. */
  public enum Status {
    /** May lead partitions and be in sync. */
    ALIVE,
    /** Was not heard of for too long; comes back by being heard of or by registering. */
    FENCED,
    /** Left in order; comes back by registering. */
    STOPPED
  }

  boolean isAlive() {
    return status == Status.ALIVE;
  }

  Member as(Status next) {
    return new Member(node, epoch, next);
  }
}
