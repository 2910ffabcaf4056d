package io.fencepost.streams;

import io.fencepost.streams.operators.AlignedAggregator;
import io.fencepost.streams.operators.Fold;
import io.fencepost.streams.operators.Windowing;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * A flow in tumbling or hopping windows, to be aggregated by key and window. Immutable: each method
 * returns another one, or the results.
 *
 * <p>A window has one result, passed on once the window has closed: whoever adds results up, or
 * sends a bill for each, need not know of earlier ones that no longer hold. Results come in the
 * order of their windows' ends, then of their key's bytes; their timestamp is {@code end - 1}, the
 * window's last millisecond. {@link #onEachUpdate} asks for intermediate results instead.
 *
 * <p>Event time moves with the messages of the task (all keys of the partition) and only with them:
 * the last windows close when something newer comes. One message from a far future closes
 * everything before it; keep such out with a filter. It is part of the state, so after a crash the
 * same windows are open as before.
 *
 * <p>A message without a key is a dead letter. If what follows the window throws, the result (not
 * the input that closed the window) becomes a dead letter, with the aggregate as value.
 */
public final class WindowedFlow<K, V> {
  private final Windows.Aligned windows;
  private final WindowPlan<K, V> plan;

  WindowedFlow(Windows.Aligned windows, WindowPlan<K, V> plan) {
    this.windows = windows;
    this.plan = plan;
  }

  /**
   * Where late messages go: those all of whose windows have closed. (One that came in time for some
   * of its hopping windows counts there, and is not late.) Without it they are dropped and counted
   * in {@link JobCounts#dropped}. The consumer is called once per aggregation.
   */
  public WindowedFlow<K, V> late(Consumer<Flow<K, V>> late) {
    return new WindowedFlow<>(windows, plan.withLate(late));
  }

  /**
   * Passes on the new aggregate at each message instead of one result at the end, with the
   * message's timestamp and headers; null where a function deleted it. The latest of each windowed
   * key holds.
   */
  public WindowedFlow<K, V> onEachUpdate() {
    return new WindowedFlow<>(windows, plan.withEachUpdate());
  }

  /** Keeps the open windows in memory: restored from the whole changelog at every start. */
  public WindowedFlow<K, V> inMemory() {
    return new WindowedFlow<>(windows, plan.withMemory());
  }

  /**
   * How many messages, those without a value too.
   *
   * @param name of the state, stable for the life of the job
   */
  public Flow<Windowed<K>, Long> count(String name) {
    return aggregated(name, Serdes.Long(), Fold.counting());
  }

  /**
   * All values in one; a message without a value is a dead letter. A null result deletes: there is
   * nothing to pass on then, and the next message starts anew.
   *
   * @param name of the state, stable for the life of the job
   */
  public Flow<Windowed<K>, V> reduce(String name, Serde<V> valueSerde, BinaryOperator<V> reducer) {
    return aggregated(name, valueSerde, Fold.reducing(name, reducer));
  }

  /**
   * Whatever the function makes of the messages. A null result deletes, as with {@link #reduce}.
   *
   * @param name of the state, stable for the life of the job
   */
  public <A> Flow<Windowed<K>, A> aggregate(
      String name, Serde<A> aggregateSerde, Supplier<A> initial, Aggregator<K, V, A> aggregator) {
    return aggregated(name, aggregateSerde, Fold.aggregating(initial, aggregator));
  }

  private <A> Flow<Windowed<K>, A> aggregated(
      String name, Serde<A> aggregateSerde, Fold<K, V, A> fold) {
    Function<Windowing<K, V, A>, Processor<K, V, Windowed<K>, A>> code =
        windowing -> new AlignedAggregator<>(windows, windowing);
    return plan.aggregated(name, aggregateSerde, fold, code);
  }
}
