package io.fencepost.streams.jdbc;

import io.fencepost.streams.JobEnd;
import io.fencepost.streams.StopReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The workers of one started sink, and how it ends. */
final class RunningSink implements SinkHandle {
  private static final Logger log = LoggerFactory.getLogger(RunningSink.class);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

  private final String name;
  private final List<SinkWorker> workers = new ArrayList<>();
  private final AtomicReference<@Nullable JobEnd> firstFailure = new AtomicReference<>();
  private final AtomicReference<@Nullable JobEnd> end = new AtomicReference<>();
  private final CountDownLatch ended = new CountDownLatch(1);

  RunningSink(String name) {
    this.name = name;
  }

  /** All workers, before the first of them starts. */
  void workers(List<SinkWorker> all) {
    workers.addAll(all);
  }

  /** Called by each worker's thread as its last act. */
  void onWorkerEnd(SinkWorker worker) {
    JobEnd why = worker.end();
    if (why != null && why.reason() != StopReason.STOPPED) {
      log.error("sink {}: {} ended: {} {}", name, worker.name(), why.reason(), why.detail());
      firstFailure.compareAndSet(null, why);
      // Its partitions would go to the others, which meet the same.
      workers.forEach(SinkWorker::stop);
    }
    if (workers.stream().allMatch(each -> each.end() != null)) {
      JobEnd failure = firstFailure.get();
      JobEnd result =
          failure == null
              ? new JobEnd(StopReason.STOPPED, "sink " + name + " was stopped", null, left())
              : new JobEnd(failure.reason(), failure.detail(), failure.cause(), left());
      if (end.compareAndSet(null, result)) {
        log.info("sink {} ended: {} {}", name, result.reason(), result.detail());
        ended.countDown();
      }
    }
  }

  private List<String> left() {
    List<String> left = new ArrayList<>();
    for (SinkWorker worker : workers) {
      JobEnd why = worker.end();
      if (why != null) {
        left.addAll(why.left());
      }
    }
    return left;
  }

  @Override
  public JobEnd await() throws InterruptedException {
    ended.await();
    return ended();
  }

  private JobEnd ended() {
    JobEnd result = end.get();
    if (result == null) {
      throw new IllegalStateException("sink " + name + " has not ended");
    }
    return result;
  }

  @Override
  public @Nullable JobEnd await(Duration timeout) throws InterruptedException {
    return ended.await(TimeUnit.MILLISECONDS.convert(timeout), TimeUnit.MILLISECONDS)
        ? ended()
        : null;
  }

  @Override
  public JobEnd stop(Duration timeout) {
    // The last quarter is for workers that hang in the database or in the user's code.
    Duration patient = timeout.dividedBy(4).multipliedBy(3);
    workers.forEach(SinkWorker::stop);
    try {
      JobEnd result = await(patient);
      if (result == null) {
        workers.stream().filter(each -> each.end() == null).forEach(SinkWorker::interrupt);
        result = await(timeout.minus(patient));
      }
      if (result != null) {
        return result;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    List<String> left = new ArrayList<>();
    for (SinkWorker worker : workers) {
      if (worker.end() == null) {
        left.add(
            worker.name()
                + ": still waits for the database, the broker or the user's code; its transaction"
                + " is committed or rolled back whole, and the next owner of its partitions goes"
                + " on from what the database says then");
      }
    }
    return new JobEnd(StopReason.STOPPED, "stop gave up waiting after " + timeout, null, left);
  }

  @Override
  public boolean isRunning() {
    return end.get() == null;
  }

  @Override
  public SinkHealth health() {
    SinkHealth worst = new SinkHealth(SinkHealth.State.WORKING, "");
    for (SinkWorker worker : workers) {
      worst = worst.worst(worker.health());
    }
    return worst;
  }

  @Override
  public SinkCounts counts() {
    SinkCounts sum = SinkCounts.ZERO;
    for (SinkWorker worker : workers) {
      sum = sum.plus(worker.counts());
    }
    return sum;
  }

  @Override
  public void close() {
    stop(CLOSE_TIMEOUT);
  }
}
