package io.fencepost.txn.shard;

import io.fencepost.broker.wire.WireError;

/**
 * One request to a shard. Exactly one of two things happens: the decision's answer runs, or {@link
 * #refused} is called. Both run outside of the shard's lock.
 *
 * @param <S> the shard
 */
public interface ShardTask<S extends Shard> {
  /**
   * Reads the state and says what to write. Runs under the shard's lock, when the key is free and
   * all earlier writes of the key are applied. Must not change state: that is replay's business.
   */
  ShardDecision decide(S shard);

  /** The shard is not here, is loading, or could not write; by error. */
  void refused(WireError error);
}
