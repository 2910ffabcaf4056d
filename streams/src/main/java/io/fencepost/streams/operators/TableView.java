package io.fencepost.streams.operators;

import io.fencepost.streams.ProcessorContext;
import io.fencepost.streams.StoreSpec;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How the rows of a table are read: from its store, or made of rows of other tables. */
public interface TableView<K, V> {
  /** What an operator must be given to read it. */
  List<StoreSpec<?, ?>> stores();

  /** The row of a key as it is now; null if there is none. */
  @Nullable V row(ProcessorContext<?, ?> context, K key);

  /** Rows that are stored. */
  record Stored<K, V>(StoreSpec<K, V> store) implements TableView<K, V> {
    @Override
    public List<StoreSpec<?, ?>> stores() {
      return List.of(store);
    }

    @Override
    public @Nullable V row(ProcessorContext<?, ?> context, K key) {
      return context.store(store).get(key);
    }
  }

  /** Rows of another table, changed or left out. */
  record Derived<K, V, V2>(TableView<K, V> source, BiFunction<K, V, @Nullable V2> rule)
      implements TableView<K, V2> {
    @Override
    public List<StoreSpec<?, ?>> stores() {
      return source.stores();
    }

    @Override
    public @Nullable V2 row(ProcessorContext<?, ?> context, K key) {
      return apply(key, source.row(context, key));
    }

    @Nullable V2 apply(K key, @Nullable V row) {
      return row == null ? null : rule.apply(key, row);
    }
  }

  /** Rows of two tables, joined. */
  record Joined<K, V, V2, R>(TableView<K, V> left, TableView<K, V2> right, JoinRule<V, V2, R> rule)
      implements TableView<K, R> {
    @Override
    public List<StoreSpec<?, ?>> stores() {
      return Stream.concat(left.stores().stream(), right.stores().stream()).distinct().toList();
    }

    @Override
    public @Nullable R row(ProcessorContext<?, ?> context, K key) {
      return rule.row(left.row(context, key), right.row(context, key));
    }
  }
}
