package io.fencepost.streams;

import io.fencepost.streams.operators.Emission;
import io.fencepost.streams.operators.Fold;
import io.fencepost.streams.operators.Windowing;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

/**
 * What is said of windows before the aggregation is named.
 *
 * @param late null: late messages are dropped
 */
record WindowPlan<K, V>(
    Flow<K, V> flow,
    Serde<K> keySerde,
    Windows windows,
    Emission emission,
    boolean inMemory,
    @Nullable Consumer<Flow<K, V>> late) {
  static <K, V> WindowPlan<K, V> of(Flow<K, V> flow, Serde<K> keySerde, Windows windows) {
    return new WindowPlan<>(flow, keySerde, windows, Emission.WHEN_CLOSED, false, null);
  }

  WindowPlan<K, V> withLate(Consumer<Flow<K, V>> consumer) {
    return new WindowPlan<>(flow, keySerde, windows, emission, inMemory, consumer);
  }

  WindowPlan<K, V> withEachUpdate() {
    return new WindowPlan<>(flow, keySerde, windows, Emission.ON_EACH_UPDATE, inMemory, late);
  }

  WindowPlan<K, V> withMemory() {
    return new WindowPlan<>(flow, keySerde, windows, emission, true, late);
  }

  /** Adds the operator to the job. */
  <A> Flow<Windowed<K>, A> aggregated(
      String name,
      Serde<A> aggregateSerde,
      Fold<K, V, A> fold,
      Function<Windowing<K, V, A>, Processor<K, V, Windowed<K>, A>> code) {
    String layout = windows instanceof Windows.Sessions ? "sessions" : "windows";
    StoreSpec<byte[], byte[]> timed = StoreSpec.timed(name, layout);
    StoreSpec<byte[], byte[]> store = inMemory ? timed.inMemory() : timed;
    SideOutput<K, V> lateOutput = late == null ? null : SideOutput.named("late");
    List<SideOutput<?, ?>> sides = lateOutput == null ? List.of() : List.of(lateOutput);
    Windowing<K, V, A> windowing =
        new Windowing<>(
            store,
            keySerde,
            aggregateSerde,
            fold,
            windows.grace().toMillis(),
            emission,
            lateOutput);
    Processed<Windowed<K>, A> results =
        flow.operator(name, () -> code.apply(windowing), List.of(store), sides, null);
    if (late != null) {
      late.accept(new Flow<>(flow.job(), results.node(), 1, keySerde));
    }
    return results;
  }
}
