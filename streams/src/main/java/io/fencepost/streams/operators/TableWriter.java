package io.fencepost.streams.operators;

import io.fencepost.streams.Message;
import io.fencepost.streams.Store;
import io.fencepost.streams.StoreSpec;

/** Keeps the latest value of each key and passes each change on; null deletes. */
public final class TableWriter<K, V> extends Operating<K, V, K, V> {
  private final StoreSpec<K, V> spec;

  public TableWriter(StoreSpec<K, V> spec) {
    this.spec = spec;
  }

  @Override
  public void process(Message<K, V> input) {
    Store<K, V> store = context().store(spec);
    Change<V> change = new Change<>(store.get(input.key()), input.value());
    if (input.value() == null) {
      store.delete(input.key());
    } else {
      store.put(input.key(), input.value());
    }
    context().emit(input);
    context().emit(Change.output(), input.withValue(change));
  }
}
