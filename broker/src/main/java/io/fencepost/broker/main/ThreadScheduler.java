package io.fencepost.broker.main;

import io.fencepost.broker.port.Scheduler;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A few named daemon threads that run tasks, and one that watches the delays. A task that throws is
 * logged. Tasks that come after {@link #stop} are dropped.
 */
public final class ThreadScheduler implements Scheduler {
  private static final Logger LOG = LoggerFactory.getLogger(ThreadScheduler.class);
  private static final int THREADS = Math.max(4, Runtime.getRuntime().availableProcessors());

  private final ThreadPoolExecutor workers;
  private final ScheduledThreadPoolExecutor timers;

  public ThreadScheduler(String name) {
    workers =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            daemons(name + "-worker-"));
    workers.allowCoreThreadTimeOut(true);
    timers = new ScheduledThreadPoolExecutor(1, daemons(name + "-timer-"));
    timers.setRemoveOnCancelPolicy(true);
    timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  private static ThreadFactory daemons(String prefix) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, prefix + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  @Override
  public void run(Runnable task) {
    try {
      workers.execute(() -> guarded(task));
    } catch (RejectedExecutionException stopped) {
      LOG.debug("A task came after the stop and was dropped");
    }
  }

  @Override
  public Timer after(long delayMs, Runnable task) {
    try {
      Future<?> due = timers.schedule(() -> run(task), Math.max(0, delayMs), TimeUnit.MILLISECONDS);
      return () -> due.cancel(false);
    } catch (RejectedExecutionException stopped) {
      LOG.debug("A timer came after the stop and was dropped");
      return () -> {};
    }
  }

  private static void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error bug) {
      LOG.error("A background task failed", bug);
    }
  }

  /** Drops what has not begun and waits for the rest, at most this long. */
  public void stop(long timeoutMs) {
    timers.shutdownNow();
    workers.shutdown();
    try {
      if (!workers.awaitTermination(timeoutMs, TimeUnit.MILLISECONDS)) {
        LOG.warn(
            "{} background tasks did not end within {} ms", workers.getActiveCount(), timeoutMs);
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
    workers.shutdownNow();
  }
}
