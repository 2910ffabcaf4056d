package io.fencepost.broker.replica;

import io.fencepost.broker.wire.WireError;
import java.util.function.Consumer;

/** The way of a leader to the controller. */
@FunctionalInterface
public interface IsrProposals {
  /** Nobody decides: a broker whose partitions have one replica asks for nothing. */
  IsrProposals NONE = (proposal, refused) -> refused.accept(WireError.NOT_CONTROLLER);

  /**
   * Called under no lock of a partition. What is accepted arrives as the partition's new state.
   *
   * @param refused runs, from any thread, if the controller does not take it or is not reached
   */
  void propose(IsrProposal proposal, Consumer<WireError> refused);
}
