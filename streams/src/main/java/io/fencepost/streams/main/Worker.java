package io.fencepost.streams.main;

import io.fencepost.streams.JobCounts;
import io.fencepost.streams.JobEnd;
import io.fencepost.streams.JobObserver;
import io.fencepost.streams.JobState;
import io.fencepost.streams.RestoreProgress;
import io.fencepost.streams.StopReason;
import io.fencepost.streams.TaskHealth;
import io.fencepost.streams.WorkerHealth;
import io.fencepost.streams.client.ChangelogWatch;
import io.fencepost.streams.task.AbortCause;
import io.fencepost.streams.task.ChangelogLost;
import io.fencepost.streams.task.ChangelogReader;
import io.fencepost.streams.task.Ending;
import io.fencepost.streams.task.FailureClass;
import io.fencepost.streams.task.Journal;
import io.fencepost.streams.task.Lanes;
import io.fencepost.streams.task.TaskLoop;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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

  private static final long LOOK_MS = 250;

  /** A commit that takes longer is told by {@link #health}: the cluster may not be there. */
  private static final long LONG_COMMIT_MS = 3_000;

  private final String label;
  private final String name;
  private final Thread thread;
  private final LaneThreads lanes;
  private final Owner owner;
  private @Nullable TaskLoop loop;
  private @Nullable ChangelogReader reader;
  private @Nullable ChangelogWatch watch;
  private volatile boolean isStopping;
  private volatile boolean isInterrupted;
  private volatile boolean isPaused;
  private volatile long finishByMs = Long.MAX_VALUE;
  private volatile JobCounts counts = JobCounts.ZERO;
  private volatile Map<TopicPartition, Long> committed = Map.of();
  private volatile @Nullable JobEnd end;
  private volatile WorkerHealth health;
  private volatile List<RestoreProgress> restoring = List.of();
  private volatile String lastFailure = "";
  private final Silence silence = new Silence();
  private boolean isLost;
  private long lookedAtMs;
  private volatile long committingAtNanos;
  private volatile boolean isCommitting;

  /** Whom to tell. */
  record Owner(String job, Consumer<Worker> onEnd, List<JobObserver> observers) {}

  Worker(String name, Owner owner) {
    this.label = "job " + owner.job() + ", worker " + name;
    this.name = name;
    this.owner = owner;
    this.thread = new Thread(this, name);
    this.lanes = new LaneThreads(name);
    this.health = new WorkerHealth(name, JobState.STARTING, "", Instant.now(), List.of());
  }

  /** For blocking code of the user; closed when the worker ends. */
  Lanes lanes() {
    return lanes;
  }

  void start(TaskLoop newLoop, ChangelogReader newReader, ChangelogWatch newWatch) {
    loop = newLoop;
    reader = newReader;
    watch = newWatch;
    thread.start();
  }

  @Override
  public void run() {
    TaskLoop running = loop;
    ChangelogReader changelogs = reader;
    if (running == null || changelogs == null) {
      return;
    }
    JobEnd why = null;
    try {
      while (!isStopping && why == null && running.step(nowMs())) {
        publish(running);
        running.pause(isPaused);
        why = lostChangelog();
      }
      isLost = why != null;
      why = isLost ? why : running.end();
    } catch (Throwable e) {
      log.error("{}: failed", label, e);
      why = Ending.thrown(e);
    }
    if (why == null || isInterrupted) {
      why = new JobEnd(StopReason.STOPPED, "stopped", null, List.of());
    } else if (why.reason() == StopReason.STOPPED && !isStopping) {
      why =
          new JobEnd(
              StopReason.FAILED,
              "its thread was interrupted, and nobody had asked the job to stop: most likely by"
                  + " the job's own code; last error: "
                  + why.detail(),
              why.cause(),
              List.of());
    }
    end = finish(running, changelogs, why);
    JobEnd ended = end;
    health = new WorkerHealth(name, JobState.ENDED, ended.detail(), Instant.now(), List.of());
    restoring = List.of();
    owner.onEnd().accept(this);
  }

  private @Nullable JobEnd lostChangelog() {
    ChangelogLost lost = watch == null ? null : watch.look(nowMs());
    return lost == null ? null : Ending.fatal(lost);
  }

  private JobEnd finish(TaskLoop running, ChangelogReader changelogs, JobEnd why) {
    List<String> left = new ArrayList<>();
    if (isInterrupted && Thread.interrupted()) {
      // It has ended the wait that it was for. The abort is to go through, or whoever reads
      // committed waits for transaction.timeout.ms; another interrupt ends that as well.
      log.debug("{}: gives up after an interrupt", label);
    }
    attempt(
        "commit",
        left,
        () -> left.addAll(isInterrupted || isLost ? running.giveUp() : running.settle()));
    // An interrupt has done its work by now; it must not keep the clients from closing.
    boolean isHurried = Thread.interrupted();
    publish(running);
    long leftMs = isHurried ? 0 : finishByMs - nowMs();
    long closeMs = Math.max(0, Math.min(CLOSE_MS, leftMs));
    lanes.close();
    attempt("close", left, () -> left.addAll(running.close(closeMs)));
    attempt("close of the restorer", left, changelogs::close);
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
      log.error("{}: {} failed", label, what, e);
      left.add(what + " failed: " + e);
    }
  }

  private void publish(TaskLoop running) {
    JobCounts now = running.counts();
    if (!now.equals(counts)) {
      counts = now;
      committed = new HashMap<>(running.committed());
    }
    long nowMs = nowMs();
    if (nowMs - lookedAtMs >= LOOK_MS) {
      lookedAtMs = nowMs;
      look(running, nowMs);
    }
  }

  private void look(TaskLoop running, long nowMs) {
    try {
      List<TaskHealth> tasks = running.tasks();
      restoring = running.restoring();
      Long failingSinceMs = running.failingSinceMs();
      Long silentSinceMs = silence.since(running.receivedBytes(), nowMs);
      Long troubleSinceMs = failingSinceMs == null ? silentSinceMs : failingSinceMs;
      JobState state = state(tasks, troubleSinceMs != null);
      Instant since = health.since();
      String detail = "";
      if (troubleSinceMs != null) {
        since = Instant.now().minusMillis(nowMs - troubleSinceMs).truncatedTo(ChronoUnit.SECONDS);
        detail = failingSinceMs == null ? "no broker has answered since " + since : lastFailure;
      } else if (state != health.state()) {
        since = Instant.now();
      }
      health = new WorkerHealth(name, state, detail, since, List.copyOf(tasks));
    } catch (RuntimeException e) {
      // A client in trouble may not know its own positions; the step meets the same and decides.
      log.debug("{}: could not be looked at", label, e);
    }
  }

  private JobState state(List<TaskHealth> tasks, boolean isFailing) {
    if (isFailing) {
      return JobState.FAILING;
    }
    if (isPaused) {
      return JobState.PAUSED;
    }
    if (tasks.isEmpty()) {
      boolean isNew = health.state() == JobState.STARTING;
      return isNew ? JobState.STARTING : JobState.RUNNING;
    }
    return tasks.stream().allMatch(TaskHealth::isRunning) ? JobState.RUNNING : JobState.RESTORING;
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
    isInterrupted = true;
    thread.interrupt();
  }

  String name() {
    return name;
  }

  WorkerHealth health() {
    return health(System.nanoTime());
  }

  /** What its thread said last, and whether it has been held up in a commit since. */
  WorkerHealth health(long nowNanos) {
    WorkerHealth said = health;
    long waitedMs = TimeUnit.NANOSECONDS.toMillis(nowNanos - committingAtNanos);
    if (!isCommitting || waitedMs < LONG_COMMIT_MS || said.state() == JobState.ENDED) {
      return said;
    }
    Instant since = Instant.now().minusMillis(waitedMs).truncatedTo(ChronoUnit.SECONDS);
    String waits = "a commit has been waiting for the cluster since " + since;
    boolean isFailing = said.state() == JobState.FAILING;
    return new WorkerHealth(
        name,
        JobState.FAILING,
        isFailing ? said.detail() + "; " + waits : waits,
        isFailing ? said.since() : since,
        said.tasks());
  }

  List<RestoreProgress> restoring() {
    return restoring;
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
    log.info("{}: {}", label, fact);
  }

  @Override
  public void warn(String fact, @Nullable Throwable cause) {
    log.warn("{}: {}", label, fact, cause);
  }

  @Override
  public void committing() {
    committingAtNanos = System.nanoTime();
    isCommitting = true;
  }

  @Override
  public void committed(long records, long bytes) {
    isCommitting = false;
    long nanos = System.nanoTime() - committingAtNanos;
    tell(observer -> observer.committed(name, nanos, records, bytes));
  }

  /** The transaction has ended by then, so no observer may keep the stores from following it. */
  private void tell(Consumer<JobObserver> fact) {
    for (JobObserver observer : owner.observers()) {
      try {
        fact.accept(observer);
      } catch (RuntimeException e) {
        log.warn("{}: an observer failed; the job goes on", label, e);
      }
    }
  }

  @Override
  public void aborted(AbortCause cause) {
    tell(observer -> observer.aborted(name, cause.name()));
  }

  @Override
  public void failed(FailureClass failure, Throwable error) {
    isCommitting = false;
    lastFailure = failure + ": " + error;
    String exception = error.getClass().getSimpleName();
    tell(observer -> observer.failed(name, failure.name(), exception));
  }
}
