package io.fencepost.streams;

import org.jspecify.annotations.Nullable;

/**
 * Keyed state of one task (one input partition). Reads see the writes of the open transaction; an
 * abort forgets these. Used only inside a {@link StatefulStage}, by its worker's thread.
 */
public interface Store<K, V> {
  @Nullable V get(K key);

  void put(K key, V value);

  void delete(K key);
}
