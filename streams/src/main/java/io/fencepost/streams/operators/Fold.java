package io.fencepost.streams.operators;

import io.fencepost.streams.Aggregator;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What one message makes of the aggregate of its key. */
@FunctionalInterface
public interface Fold<K, V, A> {
  /**
   * The aggregate after that message; null deletes.
   *
   * @param before null if there is none yet
   */
  @Nullable A add(K key, V value, @Nullable A before);

  /** How many messages, those without a value too. */
  static <K, V> Fold<K, V, Long> counting() {
    return (key, value, before) -> before == null ? 1 : before + 1;
  }

  /** All values in one; the first one stands for itself. */
  static <K, V> Fold<K, V, V> reducing(String name, BinaryOperator<V> reducer) {
    return (key, value, before) -> {
      if (value == null) {
        throw new IllegalArgumentException(
            name + " reduces values, and this message has none: filter such out, or use aggregate");
      }
      return before == null ? value : reducer.apply(before, value);
    };
  }

  static <K, V, A> Fold<K, V, A> aggregating(Supplier<A> initial, Aggregator<K, V, A> aggregator) {
    return (key, value, before) ->
        aggregator.add(key, value, before == null ? initial.get() : before);
  }
}
