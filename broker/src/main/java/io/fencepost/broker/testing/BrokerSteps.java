package io.fencepost.broker.testing;

import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.wire.TopicPartition;

/**
 * Is asked before and after each step that a crash may fall between, so that tests break a broker
 * right there. Called from any thread, under the locks of what the step belongs to.
 */
public interface BrokerSteps {
  /** Nothing is broken. */
  BrokerSteps NONE = (step, partition) -> {};

  /** The steps of a broker that others rely on once they are done. */
  enum Step {
    /**
     * A leader's log is about to take a batch, of producers or coordinators, or a marker. Failing,
     * nothing is written.
     */
    BEFORE_APPEND,
    /** It has. Failing, it stays there, and the sender hears that its fate is not known. */
    AFTER_APPEND,
    /** A log is about to be forced to disk. Failing, the force has failed. */
    BEFORE_FORCE,
    /** It is on disk. Failing, it is as if the force had failed. */
    AFTER_FORCE,
    /**
     * A partition is about to append the marker that ends a transaction, as {@link #BEFORE_APPEND}.
     */
    BEFORE_MARKER,
    /** It has, and knows the transaction to be over, as {@link #AFTER_APPEND}. */
    AFTER_MARKER,
    /**
     * A coordinator, or its stand-in on another broker, is about to write to its tables what its
     * log says. Failing, it loads them again from there.
     */
    BEFORE_TABLE_WRITE,
    /** It has. Failing, as before. */
    AFTER_TABLE_WRITE
  }

  /**
   * May block, which delays the step.
   *
   * @throws DiskException to fail the step
   */
  void pass(Step step, TopicPartition partition);
}
