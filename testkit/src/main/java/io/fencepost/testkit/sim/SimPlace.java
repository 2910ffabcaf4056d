package io.fencepost.testkit.sim;

import io.fencepost.broker.core.CoreServices;
import io.fencepost.broker.core.Membership;
import io.fencepost.broker.replica.Links;
import io.fencepost.txn.txn.IdSource;

/**
 * How a simulated broker belongs to its cluster.
 *
 * @param ids hands out the producer ids of all brokers
 */
record SimPlace(Membership membership, Links links, IdSource ids) {

  /** The broker is dead: nobody reaches it, and it hears of nothing. */
  void leave(CoreServices dead) {
    links.leave(dead.brokerId());
    dead.controller().detach(dead.cluster());
  }
}
