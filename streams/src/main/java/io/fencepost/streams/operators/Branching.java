package io.fencepost.streams.operators;

import io.fencepost.streams.Message;
import io.fencepost.streams.SideOutput;
import java.util.function.BiPredicate;

/** Messages that meet a condition to a side output, all others to the main one. */
public final class Branching<K, V> extends Operating<K, V, K, V> {
  private final BiPredicate<K, V> condition;
  private final SideOutput<K, V> matched;

  public Branching(BiPredicate<K, V> condition, SideOutput<K, V> matched) {
    this.condition = condition;
    this.matched = matched;
  }

  @Override
  public void process(Message<K, V> input) {
    if (condition.test(input.key(), input.value())) {
      context().emit(matched, input);
    } else {
      context().emit(input);
    }
  }
}
