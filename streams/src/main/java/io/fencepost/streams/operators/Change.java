package io.fencepost.streams.operators;

import io.fencepost.streams.SideOutput;
import org.jspecify.annotations.Nullable;

/** What happened to one row of a table; null where there was or is none. */
public record Change<V>(@Nullable V before, @Nullable V now) {
  private static final SideOutput<Object, Object> OUTPUT = SideOutput.named("changes");

  /** Where an operator that stores rows puts out, beside each new row, what its write changed. */
  @SuppressWarnings("unchecked") // the operator emits its own keys and rows there
  public static <K, V> SideOutput<K, Change<V>> output() {
    return (SideOutput<K, Change<V>>) (SideOutput<?, ?>) OUTPUT;
  }

  /** The row as it is now. */
  @SuppressWarnings("NullAway") // null says that it was deleted, as in a message of a topic
  public V row() {
    return now;
  }

  boolean isNothing() {
    return before == null && now == null;
  }
}
