package io.fencepost.streams.task;

import org.jspecify.annotations.Nullable;

/**
 * Runs blocking code of the user beside the worker's thread: calls of one lane one after the other
 * in the order of their start, calls of different lanes at once.
 */
public interface Lanes {
  /** Runs each call at its start, on the thread that starts it. */
  Lanes NONE =
      (lane, code) -> {
        try {
          Object result = code.run();
          return () -> result;
        } catch (Exception e) {
          return () -> {
            throw e;
          };
        }
      };

  Call start(int lane, Code code);

  /** What is called. */
  @FunctionalInterface
  interface Code {
    @Nullable Object run() throws Exception;
  }

  /** A call that was started. */
  @FunctionalInterface
  interface Call {
    /** Waits for its result or throws what the code threw. */
    @Nullable Object await() throws Exception;
  }
}
