package io.fencepost.streams.operators;

import io.fencepost.streams.Message;

/** Joins each message with the row of its key, as the table is at its turn. */
public final class TableLookup<K, V, V2, R> extends Operating<K, V, K, R> {
  private final TableView<K, V2> table;
  private final JoinRule<V, V2, R> rule;

  public TableLookup(TableView<K, V2> table, JoinRule<V, V2, R> rule) {
    this.table = table;
    this.rule = rule;
  }

  @Override
  public void process(Message<K, V> input) {
    V2 row = table.row(context(), input.key());
    if (row != null || rule.keepsLeft()) {
      context().emit(input.withValue(rule.join(input.value(), row)));
    }
  }
}
