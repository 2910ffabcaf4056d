package io.fencepost.streams.main;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a job's start that runs beside the rest, as much of a start is waiting for brokers.
 *
 * @param <T> what it comes to
 */
final class Beside<T> {
  private final FutureTask<T> task;

  private Beside(FutureTask<T> task) {
    this.task = task;
    Thread thread = new Thread(task, "fencepost-start");
    thread.setDaemon(true);
    thread.start();
  }

  static <T> Beside<T> start(Supplier<T> work) {
    return new Beside<>(new FutureTask<>(work::get));
  }

  static Beside<?> start(Runnable work) {
    return new Beside<>(new FutureTask<>(work, null));
  }

  /**
   * Waits for it, and throws what it threw.
   *
   * @throws InterruptException as Kafka's clients do
   */
  T get() {
    return answer(task);
  }

  /** The same for a task that somebody else runs. */
  static <T extends @Nullable Object> T answer(FutureTask<T> task) {
    try {
      return task.get();
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof Error error) {
        throw error;
      }
      throw cause instanceof RuntimeException failure ? failure : new IllegalStateException(cause);
    }
  }
}
