package io.fencepost.streams.operators;

import io.fencepost.streams.Processor;
import io.fencepost.streams.ProcessorContext;
import org.jspecify.annotations.Nullable;

/** A processor that remembers its context. */
abstract class Operating<K, V, K2, V2> implements Processor<K, V, K2, V2> {
  private @Nullable ProcessorContext<K2, V2> context;

  @Override
  public void open(ProcessorContext<K2, V2> opened) {
    context = opened;
  }

  final ProcessorContext<K2, V2> context() {
    if (context == null) {
      throw new IllegalStateException("not open");
    }
    return context;
  }
}
