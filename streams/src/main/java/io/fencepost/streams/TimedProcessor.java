package io.fencepost.streams;

/**
 * A {@link Processor} with timers. They are state: set and fired inside transactions, back after a
 * restart, undone by an abort.
 */
public interface TimedProcessor<K, V, K2, V2> extends Processor<K, V, K2, V2> {
  /**
   * A timer is due. It is gone already and may be set again. If this throws, what it did is undone
   * and a dead letter with the timer's key and name takes its place (without a dead-letter topic
   * the job stops).
   */
  void onTimer(Timer<K> timer) throws Exception;
}
