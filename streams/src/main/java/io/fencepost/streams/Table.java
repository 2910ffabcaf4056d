package io.fencepost.streams;

import io.fencepost.streams.operators.Change;
import io.fencepost.streams.operators.JoinRule;
import io.fencepost.streams.operators.RowKeeper;
import io.fencepost.streams.operators.RowRule;
import io.fencepost.streams.operators.TableJoin;
import io.fencepost.streams.operators.TableView;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

/**
 * The latest value of each key, beside the partition of the key: kept in a store, or made of the
 * rows of other tables whenever it is read. What flows out of it are its changes, in the order in
 * which they were made.
 */
public final class Table<K, V> {
  private final TableView<K, V> view;
  private final Flow<K, Change<V>> changed;
  private @Nullable Flow<K, V> changes;

  /** Rows in a store, and what each write of them was. */
  Table(StoreSpec<K, V> store, Flow<K, Change<V>> changed) {
    this(new TableView.Stored<>(store), changed);
  }

  /** The rows of an operator that has {@link Change#output}. */
  static <K, V> Table<K, V> of(StoreSpec<K, V> store, Processed<K, V> writer) {
    Flow<K, Change<V>> changed =
        new Flow<>(
            writer.job(),
            writer.operator(),
            writer.operator().output(Change.output()),
            writer.keySerde());
    Table<K, V> table = new Table<>(store, changed);
    table.changes = writer;
    return table;
  }

  private Table(TableView<K, V> view, Flow<K, Change<V>> changed) {
    this.view = view;
    this.changed = changed;
  }

  /**
   * Where it is kept.
   *
   * @throws IllegalStateException if it is made of other tables without being kept
   */
  public StoreSpec<K, V> store() {
    if (view instanceof TableView.Stored<K, V> stored) {
      return stored.store();
    }
    throw new IllegalStateException(
        "this table has no store of its own; give it one with keep(store, valueSerde)");
  }

  /** Each change as a message: the new value, or null where the key was deleted. */
  public Flow<K, V> changes() {
    if (changes == null) {
      changes = changed.mapValues(Change::row);
    }
    return changes;
  }

  /** The same as {@link #changes}. */
  public Flow<K, V> toFlow() {
    return changes();
  }

  /**
   * A table of other values under the same keys, without a store: the function is called at each
   * change and each look. Null from it means that there is no such row.
   */
  public <V2> Table<K, V2> mapValues(Function<V, @Nullable V2> mapper) {
    return derived("mapValues", new TableView.Derived<>(view, (key, row) -> mapper.apply(row)));
  }

  /**
   * A table of the rows that meet a condition, without a store. A row that does so no longer is
   * deleted in it; of one that never did, nothing is heard.
   */
  public Table<K, V> filter(BiPredicate<K, V> condition) {
    return derived(
        "filter",
        new TableView.Derived<>(view, (key, row) -> condition.test(key, row) ? row : null));
  }

  private <V2> Table<K, V2> derived(String verb, TableView.Derived<K, V, V2> derived) {
    String name = changed.job().nodeName(verb);
    return new Table<>(
        derived,
        changed.operator(
            name, () -> new RowRule<>(derived), List.of(), List.of(), changed.keySerde()));
  }

  /**
   * The same table in a store of its own: worth it where rows are dear to make, and needed where
   * {@link #store} is.
   *
   * @param store its name, stable for the life of the job
   */
  public Table<K, V> keep(String store, Serde<V> valueSerde) {
    return keep(store, valueSerde, changed);
  }

  private static <K, R> Table<K, R> keep(
      String store, Serde<R> valueSerde, Flow<K, Change<R>> changed) {
    Serde<K> keySerde = changed.requireKeyed("keep");
    StoreSpec<K, R> spec = StoreSpec.keyed(store, keySerde, valueSerde);
    return new Table<>(
        spec,
        changed.operator(store, () -> new RowKeeper<>(spec), List.of(spec), List.of(), keySerde));
  }

  /**
   * A table of the keys that both have. It has no store: what it held before a change is made of
   * what the two held. A change carries the time of the message that made it.
   *
   * @throws IllegalArgumentException if the rows of one are made of the other's: such a join needs
   *     a store of its own
   */
  public <V2, R> Table<K, R> join(Table<K, V2> other, ValueJoiner<V, V2, R> joiner) {
    return joined("join", other, new JoinRule<>(joiner, false, false));
  }

  /** A table of the keys that this one has; else as {@link #join(Table, ValueJoiner)}. */
  public <V2, R> Table<K, R> leftJoin(Table<K, V2> other, ValueJoiner<V, @Nullable V2, R> joiner) {
    return joined("leftJoin", other, new JoinRule<>(joiner, true, false));
  }

  /** A table of the keys that either has; else as {@link #join(Table, ValueJoiner)}. */
  public <V2, R> Table<K, R> outerJoin(
      Table<K, V2> other, ValueJoiner<@Nullable V, @Nullable V2, R> joiner) {
    return joined("outerJoin", other, new JoinRule<>(joiner, true, true));
  }

  /** As {@link #join(Table, ValueJoiner)}, kept in a store. */
  public <V2, R> Table<K, R> join(
      Table<K, V2> other, ValueJoiner<V, V2, R> joiner, String store, Serde<R> valueSerde) {
    Flow<K, Change<R>> both = both("join", other, new JoinRule<>(joiner, false, false), true);
    return keep(store, valueSerde, both);
  }

  /** As {@link #leftJoin(Table, ValueJoiner)}, kept in a store. */
  public <V2, R> Table<K, R> leftJoin(
      Table<K, V2> other,
      ValueJoiner<V, @Nullable V2, R> joiner,
      String store,
      Serde<R> valueSerde) {
    Flow<K, Change<R>> both = both("leftJoin", other, new JoinRule<>(joiner, true, false), true);
    return keep(store, valueSerde, both);
  }

  /** As {@link #outerJoin(Table, ValueJoiner)}, kept in a store. */
  public <V2, R> Table<K, R> outerJoin(
      Table<K, V2> other,
      ValueJoiner<@Nullable V, @Nullable V2, R> joiner,
      String store,
      Serde<R> valueSerde) {
    Flow<K, Change<R>> both = both("outerJoin", other, new JoinRule<>(joiner, true, true), true);
    return keep(store, valueSerde, both);
  }

  private <V2, R> Table<K, R> joined(String verb, Table<K, V2> other, JoinRule<V, V2, R> rule) {
    Flow<K, Change<R>> both = both(verb, other, rule, false);
    if (changed.comesFrom(other.view.stores()) || other.changed.comesFrom(view.stores())) {
      throw new IllegalArgumentException(
          verb
              + " of two tables, one of which is made of the other: name a store for the result, as"
              + " what was joined before cannot be told from the two");
    }
    return new Table<>(new TableView.Joined<>(view, other.view, rule), both);
  }

  private <V2, R> Flow<K, Change<R>> both(
      String verb, Table<K, V2> other, JoinRule<V, V2, R> rule, boolean isKept) {
    changed.job().requireOwn(verb, other.changed);
    Flow<K, Change<R>> ofLeft =
        changed.operator(
            changed.job().nodeName(verb),
            () -> new TableJoin<>(other.view, rule::row, isKept),
            other.view.stores(),
            List.of(),
            changed.keySerde());
    Flow<K, Change<R>> ofRight =
        other.changed.operator(
            changed.job().nodeName(verb),
            () -> new TableJoin<K, V2, V, R>(view, (right, left) -> rule.row(left, right), isKept),
            view.stores(),
            List.of(),
            other.changed.keySerde());
    return ofLeft.merge(ofRight);
  }

  TableView<K, V> view() {
    return view;
  }

  Flow<K, Change<V>> changed() {
    return changed;
  }
}
