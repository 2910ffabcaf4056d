package io.fencepost.streams;

/** Takes what an operator puts out, in order. Valid only during the call that it was handed to. */
@FunctionalInterface
public interface Emitter<K, V> {
  void emit(Message<K, V> message);
}
