package io.fencepost.streams.operators;

import io.fencepost.streams.SideOutput;
import io.fencepost.streams.StoreSpec;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

/**
 * What all windows of one aggregation have in common.
 *
 * @param store holds the open windows
 * @param late where late messages go; null: nowhere
 */
public record Windowing<K, V, A>(
    StoreSpec<byte[], byte[]> store,
    Serde<K> keySerde,
    Serde<A> aggregateSerde,
    Fold<K, V, A> fold,
    long graceMs,
    Emission emission,
    @Nullable SideOutput<K, V> late) {
  String name() {
    return store.name();
  }
}
