package io.fencepost.streams.main;

import io.fencepost.streams.task.Lanes;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** A thread per lane, made when the lane is first used. Used by one worker. */
final class LaneThreads implements Lanes, AutoCloseable {
  private final String name;
  private final Map<Integer, ExecutorService> threads = new HashMap<>();

  LaneThreads(String name) {
    this.name = name;
  }

  @Override
  public Call start(int lane, Code code) {
    ExecutorService thread = threads.computeIfAbsent(lane, this::thread);
    Future<@Nullable Object> future = thread.submit(code::run);
    return () -> {
      try {
        return future.get();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof Exception thrown) {
          throw thrown;
        }
        if (e.getCause() instanceof Error thrown) {
          throw thrown;
        }
        throw e;
      }
    };
  }

  private ExecutorService thread(int lane) {
    return Executors.newSingleThreadExecutor(
        code -> {
          Thread thread = new Thread(code, name + "-lane-" + lane);
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Interrupts what still runs: its transaction has ended, its results are of no use. */
  @Override
  public void close() {
    threads.values().forEach(ExecutorService::shutdownNow);
  }
}
