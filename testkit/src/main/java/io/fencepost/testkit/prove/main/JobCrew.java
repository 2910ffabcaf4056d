package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.fault.Decision;
import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultKind;
import io.fencepost.testkit.fault.FaultPoint;
import io.fencepost.testkit.fault.FaultPoints;
import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.fault.main.ShortTimes;
import io.fencepost.testkit.prove.ProofResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The instances of the job in one run, each a process: passes their steps to the plan, does to them
 * what the plan says, and starts again what has ended, as a supervisor would.
 */
final class JobCrew implements AutoCloseable {
  private static final int RESTARTS_MAX = 6;
  private static final long RESTART_MS = 50;

  /** So much above that of the paused is the number of its successor. */
  private static final int SUCCESSORS = 10;

  private final Subject subject;
  private final HostPool pool;
  private final Faults faults;
  private final Consumer<Fired> acts;
  private final ProofHistory history;
  private final String bootstrap;
  private final int replicas;
  private final Path directory;
  private final TreeMap<Integer, HostedJob> running = new TreeMap<>();
  private final TreeMap<Integer, HostedJob> paused = new TreeMap<>();
  private final List<String> endings = new ArrayList<>();
  private final ScheduledExecutorService later =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "job-crew");
            thread.setDaemon(true);
            return thread;
          });
  private ProofResult.Counts counts = ProofResult.Counts.ZERO;
  private int restarts;
  private boolean isOver;

  /**
   * Where a crew works.
   *
   * @param replicas of the job's own topics; below 0 on a cluster of others
   */
  record Place(String bootstrap, int replicas, Path directory) {}

  /**
   * Nobody works yet.
   *
   * @param acts does what is not done to jobs
   * @param history hears of workers that were fenced
   */
  JobCrew(
      Subject subject,
      HostPool pool,
      Faults faults,
      Consumer<Fired> acts,
      ProofHistory history,
      Place place) {
    this.subject = subject;
    this.pool = pool;
    this.faults = faults;
    this.acts = acts;
    this.history = history;
    this.bootstrap = place.bootstrap();
    this.replicas = place.replicas();
    this.directory = place.directory();
  }

  /** An instance of that number begins, with the state that its predecessor left. */
  synchronized void start(int instance) {
    if (isOver) {
      return;
    }
    HostedJob host = pool.take();
    running.put(instance, host);
    host.start(subject.jobClass(), watched(), settings(instance), new Ear(instance, host));
  }

  private SortedSet<String> watched() {
    TreeSet<String> names = new TreeSet<>();
    for (FaultPoint point : FaultPoints.all()) {
      if (point.place() == FaultPoint.Place.JOB) {
        names.add(point.name());
      }
    }
    return names;
  }

  private Map<String, String> settings(int instance) {
    TreeMap<String, String> settings = new TreeMap<>(ShortTimes.ofJob());
    if (replicas < 0) {
      // A cluster of others allows no shorter session without a setting of its brokers.
      settings.put("consumer.session.timeout.ms", "6000");
      settings.put("consumer.heartbeat.interval.ms", "1000");
    }
    settings.put("bootstrap.servers", bootstrap);
    settings.put("application.id", subject.application());
    settings.put("instance.id", "i" + instance);
    settings.put("state.dir", directory.resolve("instance-" + instance).toString());
    settings.put("replication.factor", String.valueOf(replicas));
    settings.put("commit.interval.ms", "200");
    settings.put("commit.max.records", "25");
    settings.put("poll.ms", "20");
    settings.put("rocksdb.memory.bytes", String.valueOf(4 << 20));
    settings.put("consumer.max.poll.records", "25");
    return settings;
  }

  /** Does an act of the plan to an instance; what takes long is done soon. */
  synchronized void act(Fired fired) {
    int instance = fired.action().number();
    if (instance == 0) {
      instance = instanceOf(fired.facts());
    }
    HostedJob host = running.get(instance);
    if (host == null) {
      return;
    }
    int number = instance;
    switch (fired.action().kind()) {
      case KILL_JOB -> {
        running.remove(instance);
        restarts++;
        later.execute(
            () -> {
              host.kill();
              start(number);
            });
      }
      case RESTART_JOB -> host.stop();
      case PAUSE_JOB -> pause(instance, host, fired.action().duration());
      default -> throw new IllegalStateException("not to be done to a job: " + fired);
    }
  }

  /** A successor takes over while it stands still, from this step on; afterwards both work. */
  private void pause(int instance, HostedJob host, Duration length) {
    host.pause();
    running.remove(instance);
    paused.put(instance, host);
    later.execute(() -> start(instance + SUCCESSORS));
    var unused =
        later.schedule(() -> resume(instance, host), length.toMillis(), TimeUnit.MILLISECONDS);
  }

  private synchronized void resume(int instance, HostedJob host) {
    if (paused.remove(instance) != null) {
      host.resume();
      running.put(instance, host);
    }
  }

  private int instanceOf(FaultFacts facts) {
    String who = facts.transactionalId() == null ? facts.clientId() : facts.transactionalId();
    for (int instance : running.keySet()) {
      if (who != null && who.contains("-i" + instance + "-")) {
        return instance;
      }
    }
    return running.isEmpty() ? 0 : running.firstKey();
  }

  /** What one process says. */
  private final class Ear implements HostedJob.Listener {
    private final int instance;
    private final HostedJob host;

    Ear(int instance, HostedJob host) {
      this.instance = instance;
      this.host = host;
    }

    @Override
    public void ended(boolean isClean, String detail) {
      ofEnded(instance, host, isClean, detail);
    }

    @Override
    public void committed(long records) {
      count(new ProofResult.Counts(1, 0, 0, 0, 0));
    }

    @Override
    public void failed(String worker, String failure, String exception) {
      boolean isFenced = failure.equals("FENCED");
      if (isFenced) {
        history.fenced(worker, exception);
      }
      boolean isRetry = failure.equals("RETRY");
      count(new ProofResult.Counts(0, 1, isFenced ? 1 : 0, isRetry ? 1 : 0, 0));
    }

    @Override
    public @Nullable String step(String point, String worker, String topic, int partition) {
      FaultFacts facts = JobPoints.facts(subject.application(), worker, topic, partition);
      return answer(faults.decide(FaultPoints.of(point), facts), host);
    }
  }

  private @Nullable String answer(Decision decision, HostedJob host) {
    boolean isGone = false;
    for (Fired act : decision.acts()) {
      acts.accept(act);
      isGone |= act.action().kind() == FaultKind.KILL_JOB && !isRunning(host);
    }
    Fired change = decision.change();
    if (isGone) {
      return null;
    }
    if (change == null) {
      return "";
    }
    if (change.action().kind() == FaultKind.FAILED) {
      return "fail";
    }
    try {
      TimeUnit.MILLISECONDS.sleep(change.action().duration().toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return "";
  }

  private synchronized boolean isRunning(HostedJob host) {
    return running.containsValue(host);
  }

  private synchronized void count(ProofResult.Counts more) {
    counts = counts.plus(more);
  }

  private synchronized void ofEnded(int instance, HostedJob host, boolean isClean, String detail) {
    if (paused.remove(instance, host)) {
      host.resume();
    } else if (!running.remove(instance, host)) {
      return;
    }
    pool.giveBack(host);
    notifyAll();
    if (!isClean) {
      endings.add("instance " + instance + " ended: " + detail);
    }
    if (!isOver && restarts < RESTARTS_MAX) {
      restarts++;
      var unused = later.schedule(() -> start(instance), RESTART_MS, TimeUnit.MILLISECONDS);
    }
  }

  synchronized ProofResult.Counts counts() {
    return counts.plus(new ProofResult.Counts(0, 0, 0, 0, restarts));
  }

  /** Why instances ended that nobody had stopped, each reason once. */
  synchronized List<String> endings() {
    return endings.stream().distinct().toList();
  }

  /** Ends all in order; returns what had to be killed after that time. */
  synchronized List<Integer> stop(Duration timeout) {
    isOver = true;
    new TreeMap<>(paused).forEach(this::resume);
    running.values().forEach(HostedJob::stop);
    long deadline = System.nanoTime() + timeout.toNanos();
    try {
      while (!(running.isEmpty() && paused.isEmpty()) && System.nanoTime() - deadline < 0) {
        wait(20);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    running.putAll(paused); // those that the plan has paused on their way out
    paused.clear();
    List<Integer> left = new ArrayList<>(running.keySet());
    running.values().forEach(HostedJob::kill);
    running.clear();
    return left;
  }

  @Override
  public void close() {
    stop(Duration.ZERO);
    later.shutdownNow();
  }
}
