package io.fencepost.streams;

import io.fencepost.streams.operators.Fold;
import io.fencepost.streams.operators.SessionAggregator;
import io.fencepost.streams.operators.Windowing;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * A flow in sessions, to be aggregated by key and session. As {@link WindowedFlow}, but that a
 * message may make two sessions one: so aggregates must be mergeable.
 */
public final class SessionFlow<K, V> {
  private final Windows.Sessions windows;
  private final WindowPlan<K, V> plan;

  SessionFlow(Windows.Sessions windows, WindowPlan<K, V> plan) {
    this.windows = windows;
    this.plan = plan;
  }

  /**
   * Where late messages go: those that no open session takes, and whose own session would have
   * closed. Else as {@link WindowedFlow#late}.
   */
  public SessionFlow<K, V> late(Consumer<Flow<K, V>> late) {
    return new SessionFlow<>(windows, plan.withLate(late));
  }

  /**
   * As {@link WindowedFlow#onEachUpdate}. A session that grows or merges is another windowed key
   * from then on: null is passed on for the one it was, before the new aggregate.
   */
  public SessionFlow<K, V> onEachUpdate() {
    return new SessionFlow<>(windows, plan.withEachUpdate());
  }

  /** As {@link WindowedFlow#inMemory}. */
  public SessionFlow<K, V> inMemory() {
    return new SessionFlow<>(windows, plan.withMemory());
  }

  /** As {@link WindowedFlow#count}. */
  public Flow<Windowed<K>, Long> count(String name) {
    return aggregated(name, Serdes.Long(), Fold.counting(), Long::sum);
  }

  /** As {@link WindowedFlow#reduce}; sessions are merged by the same function. */
  public Flow<Windowed<K>, V> reduce(String name, Serde<V> valueSerde, BinaryOperator<V> reducer) {
    return aggregated(name, valueSerde, Fold.reducing(name, reducer), reducer);
  }

  /**
   * As {@link WindowedFlow#aggregate}.
   *
   * @param merger of two sessions of one key, the earlier one first; before the message that joins
   *     them is added
   */
  public <A> Flow<Windowed<K>, A> aggregate(
      String name,
      Serde<A> aggregateSerde,
      Supplier<A> initial,
      Aggregator<K, V, A> aggregator,
      BinaryOperator<A> merger) {
    return aggregated(name, aggregateSerde, Fold.aggregating(initial, aggregator), merger);
  }

  private <A> Flow<Windowed<K>, A> aggregated(
      String name, Serde<A> aggregateSerde, Fold<K, V, A> fold, BinaryOperator<A> merger) {
    Function<Windowing<K, V, A>, Processor<K, V, Windowed<K>, A>> code =
        windowing -> new SessionAggregator<>(windows, windowing, merger);
    return plan.aggregated(name, aggregateSerde, fold, code);
  }
}
