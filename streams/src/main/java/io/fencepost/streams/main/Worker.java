package io.fencepost.streams.main;

import io.fencepost.streams.JobCounts;
import io.fencepost.streams.JobEnd;
import io.fencepost.streams.StopReason;
import io.fencepost.streams.task.ChangelogReader;
import io.fencepost.streams.task.Journal;
import io.fencepost.streams.task.Lanes;
import io.fencepost.streams.task.TaskLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread around one {@link TaskLoop}. */
final class Worker implements Runnable, Journal {
  private static final Logger log = LoggerFactory.getLogger(Worker.class);
  private static final long CLOSE_MS = 10_000;

  private final String name;
  private final Thread thread;
  private final LaneThreads lanes;
  private final Consumer<Worker> onEnd;
  private @Nullable TaskLoop loop;
  private @Nullable ChangelogReader reader;
  private volatile boolean isStopping;
  private volatile boolean isPaused;
  private volatile long finishByMs = Long.MAX_VALUE;
  private volatile JobCounts counts = JobCounts.ZERO;
  private volatile Map<TopicPartition, Long> committed = Map.of();
  private volatile @Nullable JobEnd end;

  Worker(String name, Consumer<Worker> onEnd) {
    this.name = name;
    this.onEnd = onEnd;
    this.thread = new Thread(this, name);
    this.lanes = new LaneThreads(name);
  }

  /** For blocking code of the user; closed when the worker ends. */
  Lanes lanes() {
    return lanes;
  }

  void start(TaskLoop newLoop, ChangelogReader newReader) {
    loop = newLoop;
    reader = newReader;
    thread.start();
  }

  @Override
  public void run() {
    TaskLoop running = loop;
    ChangelogReader restoring = reader;
    if (running == null || restoring == null) {
      return;
    }
    JobEnd why = null;
    try {
      while (!isStopping && running.step(nowMs())) {
        publish(running);
        running.pause(isPaused);
      }
      why = running.end();
    } catch (Throwable e) {
      log.error("{}: the worker failed", name, e);
      why = new JobEnd(StopReason.FAILED, e.toString(), e, List.of());
    }
    if (why == null) {
      why = new JobEnd(StopReason.STOPPED, "stopped", null, List.of());
    }
    end = finish(running, restoring, why);
    onEnd.accept(this);
  }

  private JobEnd finish(TaskLoop running, ChangelogReader restoring, JobEnd why) {
    List<String> left = new ArrayList<>();
    attempt("commit", left, () -> left.addAll(running.settle()));
    // An interrupt has done its work by now; it must not keep the clients from closing.
    boolean isHurried = Thread.interrupted();
    publish(running);
    long leftMs = isHurried ? 0 : finishByMs - nowMs();
    long closeMs = Math.max(0, Math.min(CLOSE_MS, leftMs));
    lanes.close();
    attempt("close", left, () -> left.addAll(running.close(closeMs)));
    attempt("close of the restorer", left, restoring::close);
    return new JobEnd(
        why.reason(),
        why.detail(),
        why.cause(),
        left.stream().map(what -> name + ": " + what).toList());
  }

  private void attempt(String what, List<String> left, Runnable action) {
    try {
      action.run();
    } catch (Throwable e) {
      log.error("{}: {} failed", name, what, e);
      left.add(what + " failed: " + e);
    }
  }

  private void publish(TaskLoop running) {
    JobCounts now = running.counts();
    if (!now.equals(counts)) {
      counts = now;
      committed = new HashMap<>(running.committed());
    }
  }

  /** The time of all deadlines here: it does not jump as a wall clock does. */
  static long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /** Ends after the step at hand. The earliest deadline of several calls counts. */
  synchronized void stop(long newFinishByMs) {
    finishByMs = Math.min(finishByMs, newFinishByMs);
    isStopping = true;
  }

  /** From its next step on. */
  void pause(boolean paused) {
    isPaused = paused;
  }

  void interrupt() {
    thread.interrupt();
  }

  String name() {
    return name;
  }

  JobCounts counts() {
    return counts;
  }

  @Nullable JobEnd end() {
    return end;
  }

  SortedMap<String, Long> committed() {
    TreeMap<String, Long> offsets = new TreeMap<>();
    committed.forEach((partition, offset) -> offsets.put(partition.toString(), offset));
    return offsets;
  }

  @Override
  public void note(String fact) {
    log.info("{}: {}", name, fact);
  }

  @Override
  public void warn(String fact, @Nullable Throwable cause) {
    log.warn("{}: {}", name, fact, cause);
  }
}
