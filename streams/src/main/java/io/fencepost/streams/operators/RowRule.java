package io.fencepost.streams.operators;

import io.fencepost.streams.Message;

/** Changes of a table as changes of one derived from it; nothing where neither is a row of it. */
public final class RowRule<K, V, V2> extends Operating<K, Change<V>, K, Change<V2>> {
  private final TableView.Derived<K, V, V2> view;

  public RowRule(TableView.Derived<K, V, V2> view) {
    this.view = view;
  }

  @Override
  public void process(Message<K, Change<V>> input) {
    Change<V> change = input.value();
    Change<V2> derived =
        new Change<>(
            view.apply(input.key(), change.before()), view.apply(input.key(), change.now()));
    if (!derived.isNothing()) {
      context().emit(input.withValue(derived));
    }
  }
}
