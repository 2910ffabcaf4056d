package io.fencepost.testkit.junit;

import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobCounts;
import io.fencepost.streams.JobEnd;
import io.fencepost.streams.JobHandle;
import io.fencepost.streams.StopReason;
import io.fencepost.streams.main.JobRunner;
import io.fencepost.streams.task.JobSteps;
import io.fencepost.testkit.fault.Decision;
import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultKind;
import io.fencepost.testkit.fault.FaultPoints;
import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.net.FaultProxy;
import io.fencepost.testkit.prove.main.JobPoints;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The job of one run, one life after the other: passes its steps and its requests to the plan, does
 * to it what the plan says, and starts it again when it has ended, as a supervisor would.
 * Thread-safe.
 *
 * <p>Each life has a proxy of its own. A life that is killed loses that first, so that nothing of
 * what it still does reaches a broker, then all its steps, and its stores are let go as they are.
 */
final class JobLives implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(JobLives.class);
  private static final int ENDINGS_MAX = 6;
  private static final long RESTART_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final Duration STOP = Duration.ofSeconds(20);

  /** It has nothing to finish: what is waited for is interrupted soon. */
  private static final Duration AFTER_DEATH = Duration.ofMillis(400);

  private final Job job;
  private final Function<String, JobConfig> config;
  private final String application;
  private final String bootstrap;
  private final Faults faults;
  private final Consumer<Fired> acts;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "job-lives");
            thread.setDaemon(true);
            return thread;
          });
  private final List<String> endings = new ArrayList<>();
  private @Nullable Life life;
  private JobCounts counts = JobCounts.ZERO;
  private int restarts;
  private boolean isStopping;
  private boolean isClosed;

  /**
   * Nothing runs yet.
   *
   * @param config of a life that finds its brokers at these addresses
   * @param acts does the acts of the plan; those on jobs come back to {@link #act}
   */
  JobLives(
      Job job,
      Function<String, JobConfig> config,
      String bootstrap,
      Faults faults,
      Consumer<Fired> acts) {
    this.job = job;
    this.config = config;
    this.application = config.apply(bootstrap).applicationId(job);
    this.bootstrap = bootstrap;
    this.faults = faults;
    this.acts = acts;
  }

  /** From one start to the end that it leads to. */
  private final class Life implements JobSteps {
    private final FaultProxy proxy = FaultProxy.start(bootstrap, 0, faults, acts);
    private final CompletableFuture<@Nullable JobHandle> handle = new CompletableFuture<>();
    private final CountDownLatch buried = new CountDownLatch(1);
    private volatile boolean isDead;

    /** Whether it ends because the plan says so. */
    private volatile boolean isToEnd;

    @Override
    public void pass(Step step, String worker, @Nullable TopicPartition about) {
      requireAlive();
      FaultFacts facts =
          JobPoints.facts(
              application,
              worker,
              about == null ? "" : about.topic(),
              about == null ? -1 : about.partition());
      Decision decision = faults.decide(FaultPoints.of(JobPoints.name(step)), facts);
      decision.acts().forEach(JobLives.this::perform);
      requireAlive();
      Fired change = decision.change();
      if (change != null && change.action().kind() == FaultKind.FAILED) {
        throw JobPoints.failure(step);
      }
      if (change != null) {
        sleep(change.action().duration());
      }
    }

    /** The dead go no step, and nobody hears what they say on their way out. */
    private void requireAlive() {
      if (!isDead) {
        return;
      }
      try {
        buried.await();
      } catch (InterruptedException e) {
        buried.countDown();
        throw new InterruptException(e);
      }
      throw new InterruptException("killed, as the fault plan says");
    }

    private void sleep(Duration time) {
      long end = System.nanoTime() + time.toNanos();
      while (end - System.nanoTime() > 0 && !Thread.currentThread().isInterrupted()) {
        LockSupport.parkNanos(end - System.nanoTime());
      }
      requireAlive();
    }

    private void bury() {
      proxy.close();
      end(AFTER_DEATH);
      buried.countDown();
    }

    private void end(Duration timeout) {
      JobHandle started = handle.join();
      if (started != null) {
        started.stop(timeout);
      }
    }
  }

  /** An act that fails is the harness's trouble: the job goes on. */
  private void perform(Fired fired) {
    try {
      acts.accept(fired);
    } catch (IllegalStateException e) {
      LOG.error("{} could not be done", fired, e);
    }
  }

  /**
   * The first life begins.
   *
   * @throws RuntimeException if the job refuses to start, and no fault has been done yet
   */
  void start() {
    Life first = new Life();
    synchronized (this) {
      life = first;
    }
    RuntimeException refusal = begin(first);
    if (refusal != null && faults.fired().isEmpty()) {
      throw refusal;
    }
  }

  /** Returns why it did not. */
  private @Nullable RuntimeException begin(Life next) {
    try {
      JobHandle started = JobRunner.start(job, config.apply(next.proxy.bootstrapServers()), next);
      next.handle.complete(started);
      threads.execute(() -> awaitEnd(next, started));
      return null;
    } catch (RuntimeException e) {
      refused(next, String.valueOf(e.getMessage()));
      return e;
    } catch (LinkageError e) { // as a native library that can't be loaded
      refused(next, e.toString());
      return new IllegalStateException("job " + job.name() + " did not start", e);
    }
  }

  private void refused(Life next, String why) {
    next.handle.complete(null);
    threads.execute(() -> ended(next, "it did not start: " + why, JobCounts.ZERO));
  }

  private void awaitEnd(Life of, JobHandle handle) {
    try {
      JobEnd end = handle.await();
      boolean isInOrder = end.reason() == StopReason.STOPPED;
      ended(of, isInOrder ? "" : end.reason() + ", " + end.detail(), handle.counts());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void ended(Life over, String why, JobCounts last) {
    over.proxy.close();
    Life next;
    synchronized (this) {
      counts = counts.plus(last);
      if (!over.isToEnd && !why.isEmpty()) {
        endings.add(why);
      }
      if (isClosed || (isStopping && !over.isDead) || endings.size() > ENDINGS_MAX) {
        life = null;
        notifyAll();
        return;
      }
      restarts++;
      next = new Life();
      life = next;
      notifyAll();
    }
    if (!over.isToEnd) {
      LockSupport.parkNanos(RESTART_NANOS);
    }
    var unused = begin(next);
  }

  /** Does an act of the plan to the life that goes on; returns at once. */
  synchronized void act(Fired fired) {
    Life now = life;
    if (now == null || now.isToEnd) {
      return;
    }
    now.isToEnd = true;
    if (fired.action().kind() == FaultKind.KILL_JOB) {
      now.isDead = true;
      threads.execute(now::bury);
    } else {
      threads.execute(() -> now.end(STOP));
    }
  }

  /** Whether it has ended so often that nobody starts it any more. */
  synchronized boolean isGivenUp() {
    return life == null;
  }

  /**
   * Ends the job in order, after a successor of one that was killed has taken over.
   *
   * @return whether it has ended within the time that it has for that
   */
  boolean stop() {
    long deadline = System.nanoTime() + 2 * STOP.toNanos();
    for (Life last = awaitSettled(deadline); last != null; last = awaitSettled(deadline)) {
      last.end(STOP);
      if (!awaitOver(last, deadline)) {
        return false;
      }
    }
    return true;
  }

  private synchronized @Nullable Life awaitSettled(long deadline) {
    awaitChange(deadline, () -> life == null || !life.isToEnd);
    isStopping = true;
    return life;
  }

  private synchronized boolean awaitOver(Life last, long deadline) {
    return awaitChange(deadline, () -> !last.equals(life));
  }

  private boolean awaitChange(long deadline, BooleanSupplier isSo) {
    try {
      while (!isSo.getAsBoolean()) {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (leftMs <= 0) {
          return false;
        }
        wait(leftMs);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return isSo.getAsBoolean();
  }

  /** Over all lives. */
  synchronized JobCounts counts() {
    return counts;
  }

  synchronized int restarts() {
    return restarts;
  }

  /** Why lives ended that nobody had ended. */
  synchronized List<String> endings() {
    return List.copyOf(endings);
  }

  /** What still runs is killed. */
  @Override
  public void close() {
    Life last;
    synchronized (this) {
      isClosed = true;
      last = life;
    }
    if (last != null) {
      last.isToEnd = true;
      last.isDead = true;
      last.bury();
    }
    threads.shutdownNow();
  }
}
