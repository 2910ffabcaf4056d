package io.fencepost.streams.operators;

import io.fencepost.streams.Message;
import io.fencepost.streams.Store;
import io.fencepost.streams.StoreSpec;

/** Keeps the aggregate of each key and passes each change on; null where it was deleted. */
public final class TableAggregator<K, V, A> extends Operating<K, V, K, A> {
  private final StoreSpec<K, A> spec;
  private final Fold<K, V, A> fold;

  public TableAggregator(StoreSpec<K, A> spec, Fold<K, V, A> fold) {
    this.spec = spec;
    this.fold = fold;
  }

  @Override
  public void process(Message<K, V> input) {
    Store<K, A> store = context().store(spec);
    A before = store.get(input.key());
    A after = fold.add(input.key(), input.value(), before);
    if (after != null) {
      store.put(input.key(), after);
    } else if (before != null) {
      store.delete(input.key());
    } else {
      return;
    }
    context().emit(input.withValue(after));
    context().emit(Change.output(), input.withValue(new Change<>(before, after)));
  }
}
