package io.fencepost.streams.operators;

import io.fencepost.streams.Message;
import io.fencepost.streams.Store;
import io.fencepost.streams.StoreSpec;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the rows of a table that is made of others. What was there before is what it has stored,
 * whatever the change says; a delete of what was not there is no change.
 */
public final class RowKeeper<K, V> extends Operating<K, Change<V>, K, Change<V>> {
  private final StoreSpec<K, V> spec;

  public RowKeeper(StoreSpec<K, V> spec) {
    this.spec = spec;
  }

  @Override
  public void process(Message<K, Change<V>> input) {
    Store<K, V> store = context().store(spec);
    @Nullable V now = input.value().now();
    Change<V> change = new Change<>(store.get(input.key()), now);
    if (change.isNothing()) {
      return;
    }
    if (now == null) {
      store.delete(input.key());
    } else {
      store.put(input.key(), now);
    }
    context().emit(input.withValue(change));
  }
}
