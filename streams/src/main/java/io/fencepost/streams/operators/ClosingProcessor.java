package io.fencepost.streams.operators;

import io.fencepost.streams.Processor;
import org.jspecify.annotations.Nullable;

/**
 * A processor with windows that close as its event time moves. After each input of the task the
 * engine closes what is due, one window at a time, a bounded number per input and the rest in the
 * steps after. Each is a unit of its own: it has effect as a whole or, if it fails, becomes a dead
 * letter and is deleted.
 */
public interface ClosingProcessor<K, V, K2, V2> extends Processor<K, V, K2, V2> {
  /** The first window that is due; null if none is. Only reads. */
  @Nullable ClosedWindow firstClosed();

  /** Takes it out of the store. */
  void delete(ClosedWindow window);

  /** Passes on what it came to; it is deleted already. */
  void emit(ClosedWindow window);
}
