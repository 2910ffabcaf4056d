package io.fencepost.streams;

/**
 * A stateless operator: one message in, any number out. Every other stateless operator is written
 * with it. It may throw: the input record then becomes a dead letter and nothing of it remains.
 */
@FunctionalInterface
public interface Stage<K1, V1, K2, V2> {
  void apply(Message<K1, V1> input, Emitter<K2, V2> output) throws Exception;
}
