package io.fencepost.streams;

import org.jspecify.annotations.Nullable;

/**
 * Makes one value of two that have equal keys. Must depend on nothing else: it may be called again
 * for the same values.
 *
 * @param <V> of the left side: the flow or table whose join method was called
 * @param <V2> of the right side
 */
@FunctionalInterface
public interface ValueJoiner<
    V extends @Nullable Object, V2 extends @Nullable Object, R extends @Nullable Object> {
  /**
   * A side that has nothing to join is null: the right one in a left join, either in an outer join,
   * never both.
   */
  R join(V left, V2 right);
}
