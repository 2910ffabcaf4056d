package io.fencepost.streams;

import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Keyed state of one task (one input partition). Reads see the writes of the open transaction; an
 * abort forgets these. Used only inside a {@link StatefulStage} or {@link Processor}, by its
 * worker's thread.
 */
public interface Store<K, V> {
  @Nullable V get(K key);

  void put(K key, V value);

  void delete(K key);

  /**
   * Shows the entries with {@code from <= key < to} (null: no bound), until the visitor answers
   * false. The order is that of the serialized keys' bytes, unsigned: that of the numbers for
   * {@code Serdes.Long()} as long as none is negative, that of the alphabet for ASCII text. The
   * store may be changed meanwhile; what is shown is read in pages.
   */
  void forEach(@Nullable K from, @Nullable K to, BiPredicate<K, V> visitor);
}
