package io.fencepost.streams.operators;

import io.fencepost.streams.Message;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Changes of one table as changes of its join with another, which is looked at as it is now.
 *
 * <p>A change of both by one and the same input looks like two; where the rows of one table come
 * from the other, what was joined before can then only be told by a {@link RowKeeper} behind it,
 * which must see everything.
 */
public final class TableJoin<K, V, V2, R> extends Operating<K, Change<V>, K, Change<R>> {
  private final TableView<K, V2> other;
  private final BiFunction<@Nullable V, @Nullable V2, @Nullable R> rule;
  private final boolean isKept;

  /**
   * One side of a join.
   *
   * @param rule gives the joined row of one of this table and one of the other
   * @param isKept whether a {@link RowKeeper} follows
   */
  public TableJoin(
      TableView<K, V2> other,
      BiFunction<@Nullable V, @Nullable V2, @Nullable R> rule,
      boolean isKept) {
    this.other = other;
    this.rule = rule;
    this.isKept = isKept;
  }

  @Override
  public void process(Message<K, Change<V>> input) {
    Change<V> change = input.value();
    V2 partner = other.row(context(), input.key());
    Change<R> joined =
        new Change<>(
            isKept ? null : rule.apply(change.before(), partner),
            rule.apply(change.now(), partner));
    if (isKept || !joined.isNothing()) {
      context().emit(input.withValue(joined));
    }
  }
}
