package io.fencepost.streams;

/**
 * The latest value of each key, kept in a store beside the partition of the key. What flows out of
 * it are its changes, in the order in which they were made.
 */
public final class Table<K, V> {
  private final StoreSpec<K, V> store;
  private final Flow<K, V> changes;

  Table(StoreSpec<K, V> store, Flow<K, V> changes) {
    this.store = store;
    this.changes = changes;
  }

  /** Where it is kept. */
  public StoreSpec<K, V> store() {
    return store;
  }

  /** Each change as a message: the new value, or null where the key was deleted. */
  public Flow<K, V> changes() {
    return changes;
  }
}
