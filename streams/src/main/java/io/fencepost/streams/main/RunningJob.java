package io.fencepost.streams.main;

import io.fencepost.streams.JobCounts;
import io.fencepost.streams.JobEnd;
import io.fencepost.streams.JobHandle;
import io.fencepost.streams.JobHealth;
import io.fencepost.streams.JobObserver;
import io.fencepost.streams.JobState;
import io.fencepost.streams.RestoreProgress;
import io.fencepost.streams.StopReason;
import io.fencepost.streams.StoreSize;
import io.fencepost.streams.StoreView;
import io.fencepost.streams.WorkerHealth;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The workers of one started job, and how it ends. */
final class RunningJob implements JobHandle {
  private static final Logger log = LoggerFactory.getLogger(RunningJob.class);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

  /** Far from where sums of times are no longer times. */
  private static final long LONGEST_MS = Long.MAX_VALUE / 8;

  private static final List<JobState> WORST_FIRST =
      List.of(
          JobState.FAILING,
          JobState.PAUSED,
          JobState.RESTORING,
          JobState.RUNNING,
          JobState.STARTING,
          JobState.ENDED);

  private final String name;
  private final Place place;
  private final List<Worker> workers = new ArrayList<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicReference<@Nullable JobEnd> firstFailure = new AtomicReference<>();
  private final AtomicReference<@Nullable JobEnd> end = new AtomicReference<>();
  private final List<JobObserver> observers = new CopyOnWriteArrayList<>();
  private final Instant startedAt = Instant.now();
  private volatile Instant endedAt = Instant.MAX;
  private @Nullable Crew crew;

  /** What it is called. */
  record Place(String application, String instance, String guarantee) {}

  /**
   * What works and what is read.
   *
   * @param free closes what the workers and standbys no longer use
   */
  record Crew(List<Worker> workers, JobStores stores, Standbys standbys, Runnable free) {}

  RunningJob(String name, Place place) {
    this.name = name;
    this.place = place;
  }

  /** Everybody, before the first of them starts. */
  void start(Crew all) {
    workers.addAll(all.workers());
    crew = all;
  }

  private Crew crew() {
    if (crew == null) {
      throw new IllegalStateException("job " + name + " has no workers yet");
    }
    return crew;
  }

  /** For its workers. */
  List<JobObserver> observers() {
    return observers;
  }

  /** Called by each worker's thread as its last act. */
  void onWorkerEnd(Worker worker) {
    JobEnd why = worker.end();
    if (why != null && why.reason() != StopReason.STOPPED) {
      log.error("job {}: {} ended: {} {}", name, worker.name(), why.reason(), why.detail());
      firstFailure.compareAndSet(null, why);
      if (why.reason() != StopReason.REPLACED) {
        // One worker that cannot go on would leave its partitions to the others, which meet the
        // same.
        workers.forEach(other -> other.stop(Long.MAX_VALUE));
      }
    }
    if (workers.stream().allMatch(each -> each.end() != null)) {
      finish();
    }
  }

  private void finish() {
    List<String> left = new ArrayList<>();
    for (Worker worker : workers) {
      JobEnd why = worker.end();
      if (why != null) {
        left.addAll(why.left());
      }
    }
    JobEnd failure = firstFailure.get();
    JobEnd result =
        failure == null
            ? new JobEnd(StopReason.STOPPED, "job " + name + " was stopped", null, left)
            : new JobEnd(failure.reason(), failure.detail(), failure.cause(), left);
    if (end.compareAndSet(null, result)) {
      try {
        crew().free().run();
      } catch (RuntimeException e) {
        log.warn("job {}: resources were not freed cleanly", name, e);
      }
      endedAt = Instant.now();
      log.info("job {} ended: {} {}", name, result.reason(), result.detail());
      ended.countDown();
    }
  }

  @Override
  public JobEnd await() throws InterruptedException {
    ended.await();
    return ended();
  }

  private JobEnd ended() {
    JobEnd result = end.get();
    if (result == null) {
      throw new IllegalStateException("job " + name + " has not ended");
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
    long timeoutMs = Math.min(TimeUnit.MILLISECONDS.convert(timeout), LONGEST_MS);
    // The last quarter is for those that wait for a broker or for user code: they are interrupted,
    // so that their stores are free and their clients closed when this returns.
    long patientMs = timeoutMs * 3 / 4;
    long finishByMs = Worker.nowMs() + patientMs;
    workers.forEach(worker -> worker.stop(finishByMs));
    crew().standbys().stop();
    try {
      JobEnd result = await(Duration.ofMillis(patientMs));
      if (result == null) {
        // Once to end what they wait for, and once more if then the broker does not answer.
        for (int tried = 0; tried < 2 && result == null; tried++) {
          workers.stream().filter(worker -> worker.end() == null).forEach(Worker::interrupt);
          result = await(Duration.ofMillis((timeoutMs - patientMs) / 2));
        }
      }
      if (result != null) {
        return result;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    List<String> left = new ArrayList<>();
    for (Worker worker : workers) {
      JobEnd own = worker.end();
      if (own != null) {
        left.addAll(own.left());
      } else {
        left.add(
            worker.name()
                + ": still waits for the broker or for user code; its open transaction is not"
                + " committed yet, and its stores stay locked until it ends");
      }
    }
    return new JobEnd(StopReason.STOPPED, "stop gave up waiting after " + timeout, null, left);
  }

  @Override
  public void pause() {
    workers.forEach(worker -> worker.pause(true));
  }

  @Override
  public void resume() {
    workers.forEach(worker -> worker.pause(false));
  }

  @Override
  public boolean isRunning() {
    return end.get() == null;
  }

  @Override
  public JobCounts counts() {
    JobCounts sum = JobCounts.ZERO;
    for (Worker worker : workers) {
      sum = sum.plus(worker.counts());
    }
    return sum;
  }

  @Override
  public SortedMap<String, Long> committedOffsets() {
    TreeMap<String, Long> offsets = new TreeMap<>();
    workers.forEach(worker -> offsets.putAll(worker.committed()));
    return offsets;
  }

  @Override
  public String guarantee() {
    return place.guarantee();
  }

  @Override
  public JobHealth health() {
    List<WorkerHealth> all = workers.stream().map(Worker::health).toList();
    JobEnd ended = end.get();
    WorkerHealth telling = telling(all);
    JobState state = ended != null ? JobState.ENDED : telling.state();
    String detail = ended != null ? ended.reason() + " " + ended.detail() : telling.detail();
    Instant since = ended != null ? min(endedAt, Instant.now()) : telling.since();
    return new JobHealth(name, place.application(), place.instance(), state, detail, since, all);
  }

  private static Instant min(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  /** The one whose state is the job's. */
  private WorkerHealth telling(List<WorkerHealth> all) {
    for (JobState state : WORST_FIRST) {
      for (WorkerHealth worker : all) {
        if (worker.state() == state) {
          return worker;
        }
      }
    }
    return new WorkerHealth(name, JobState.STARTING, "", startedAt, List.of());
  }

  @Override
  public List<RestoreProgress> restoring() {
    return workers.stream().flatMap(worker -> worker.restoring().stream()).toList();
  }

  @Override
  public List<RestoreProgress> standbys() {
    return crew().standbys().progress();
  }

  @Override
  public List<StoreSize> storeSizes() {
    return crew().stores().sizes();
  }

  @Override
  public <K, V> StoreView<K, V> store(String store, Serde<K> keySerde, Serde<V> valueSerde) {
    return crew().stores().view(store, keySerde, valueSerde);
  }

  @Override
  public void observe(JobObserver observer) {
    observers.add(observer);
  }

  @Override
  public void close() {
    stop(CLOSE_TIMEOUT);
  }
}
