package io.fencepost.streams;

/**
 * Code with an effect outside of the job's topics; see {@link Flow#effect}. Called by the worker's
 * thread of its task.
 */
@FunctionalInterface
public interface Effect<K, V> {
  /**
   * Has the effect.
   *
   * @param key the same at every try of this effect and of no other one: hand it to the other side,
   *     so that it can tell a repetition
   * @throws Exception makes the input a dead letter, as any error of the user's code; {@link
   *     TryAgainLater} makes the job try again
   */
  void run(EffectKey key, Message<K, V> message) throws Exception;
}
