package io.fencepost.streams.operators;

import io.fencepost.streams.ValueJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Who is joined with whom.
 *
 * @param keepsLeft whether a left side without a partner counts (left and outer joins)
 * @param keepsRight whether a right side without a partner counts (outer joins)
 */
public record JoinRule<V, V2, R>(
    ValueJoiner<V, V2, R> joiner, boolean keepsLeft, boolean keepsRight) {
  /** The joined row; null if these two come to none. */
  public @Nullable R row(@Nullable V left, @Nullable V2 right) {
    boolean isAlone = left == null || right == null;
    boolean counts = (left != null && keepsLeft) || (right != null && keepsRight);
    return isAlone && !counts ? null : join(left, right);
  }

  /** Whatever the two are. */
  @SuppressWarnings("NullAway") // a joiner is told that a side without a partner is null
  R join(@Nullable V left, @Nullable V2 right) {
    return joiner.join(left, right);
  }
}
