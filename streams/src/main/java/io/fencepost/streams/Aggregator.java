package io.fencepost.streams;

import org.jspecify.annotations.Nullable;

/** Adds one message to an aggregate. It may throw: the input then becomes a dead letter. */
@FunctionalInterface
public interface Aggregator<K, V, A> {
  /**
   * The aggregate with that message.
   *
   * @param value null if the message has none
   * @param aggregate so far; must not be changed if something else may hold it
   * @return null: the aggregate is deleted, and the next message starts anew
   */
  @Nullable A add(K key, V value, A aggregate);
}
