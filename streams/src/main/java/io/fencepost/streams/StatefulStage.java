package io.fencepost.streams;

/**
 * An operator with a keyed store. Writes to the store become visible to later inputs of the same
 * task at once and durable with the transaction; if the stage throws, its writes and outputs for
 * that input vanish and the input becomes a dead letter.
 */
@FunctionalInterface
public interface StatefulStage<K1, V1, K2, V2, SK, SV> {
  void apply(Message<K1, V1> input, Store<SK, SV> store, Emitter<K2, V2> output) throws Exception;
}
