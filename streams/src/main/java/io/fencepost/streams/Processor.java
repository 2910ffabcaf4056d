package io.fencepost.streams;

/**
 * An operator of the user's own with stores, timers and several outputs; see {@link Flow#process}.
 * One instance per task, called by its worker's thread only.
 *
 * <p>What it writes to stores and emits for one input has effect as a whole or, if it throws, not
 * at all. Fields survive an abort, stores do not: keep everything that counts in stores.
 */
public interface Processor<K, V, K2, V2> {
  /**
   * Once, before the first message. Stores and timers may be taken from the context here, and read
   * later.
   */
  default void open(ProcessorContext<K2, V2> context) throws Exception {}

  void process(Message<K, V> input) throws Exception;
}
