package io.fencepost.testkit.prove.main;

import io.fencepost.broker.main.SystemClock;
import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultObserver;
import io.fencepost.testkit.fault.FaultPoint;
import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.net.FaultProxy;
import io.fencepost.testkit.prove.Candidate;
import io.fencepost.testkit.prove.ProofResult;
import io.fencepost.testkit.prove.Sighting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** One run of the job under one plan, from fresh topics to the verdict. */
final class ProofRun {
  /** Faults end after this, whatever they have done; then the job has the same time again. */
  private static final Duration UNDER_FIRE = Duration.ofSeconds(15);

  private static final Duration AFTERWARDS = Duration.ofSeconds(40);
  private static final Duration STOP = Duration.ofSeconds(20);
  private static final Duration OPEN_TRANSACTIONS = Duration.ofSeconds(20);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Subject subject;
  private final Stages stages;
  private final HostPool pool;
  private final Path failures;
  private final AtomicInteger failureCount = new AtomicInteger();

  /**
   * What a run without faults left, and what was passed in it.
   *
   * @param output null if it is another each time
   */
  record Reference(@Nullable List<Topics.Line> output, List<Sighting> sightings) {
    List<Topics.Line> expected() {
      return output == null ? List.of() : output;
    }
  }

  /**
   * Runs of a job.
   *
   * @param failures takes the histories of runs that break something
   */
  ProofRun(Subject subject, Stages stages, HostPool pool, Path failures) {
    this.subject = subject;
    this.stages = stages;
    this.pool = pool;
    this.failures = failures;
  }

  /**
   * Runs without faults, and says what was seen; on brokers as for plans that break them or not.
   */
  Reference rehearse(boolean onCluster) {
    List<Sighting> sightings = new ArrayList<>();
    FaultObserver observer =
        new FaultObserver() {
          @Override
          public void onPassed(FaultPoint point, long occurrence, FaultFacts facts) {
            sightings.add(new Sighting(point, facts));
          }
        };
    List<Topics.Line> output = new ArrayList<>();
    Candidate none = new Candidate(io.fencepost.testkit.fault.FaultPlan.NONE);
    ProofResult result = run(none, null, observer, output, onCluster);
    if (!result.holds()) {
      throw new IllegalStateException("the job fails without any fault: " + result.violations());
    }
    return new Reference(output, sightings);
  }

  /** Runs under a plan; {@code reference} is what must come out. */
  ProofResult run(Candidate candidate, Reference reference) {
    return run(
        candidate, reference, new FaultObserver() {}, new ArrayList<>(), candidate.needsCluster());
  }

  private ProofResult run(
      Candidate candidate,
      @Nullable Reference reference,
      FaultObserver observer,
      List<Topics.Line> output,
      boolean onCluster) {
    long begun = System.nanoTime();
    Audit audit = new Audit();
    RunHistory history = new RunHistory();
    Faults faults =
        Faults.of(candidate.plan(), new SystemClock()).observedBy(observer).observedBy(history);
    ProofResult.Counts counts = ProofResult.Counts.ZERO;
    Path directory = directory();
    try (Stage stage = stages.open(onCluster, subject, directory)) {
      try (Topics topics = new Topics(stage.bootstrap())) {
        subject.publish(stage.bootstrap());
        counts =
            perform(
                faults, stage, topics, new Findings(audit, reference, output, history), directory);
      }
    } catch (KafkaException e) {
      audit.put("E1", Verdict.broken("the cluster did not come back: " + e));
    } finally {
      delete(directory);
    }
    return new ProofResult(
        candidate,
        faults.fired(),
        faults.unfired(),
        audit.verdicts(),
        counts,
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun),
        kept(history, audit));
  }

  /** The history of a run that broke something; null if it broke nothing. */
  private @Nullable String kept(RunHistory history, Audit audit) {
    SortedMap<String, Verdict.Fail> violations = audit.violations();
    if (violations.isEmpty()) {
      return null;
    }
    Path file = failures.resolve("failure-" + failureCount.incrementAndGet() + ".jsonl");
    return history.keep(file, violations).toString();
  }

  private record Findings(
      Audit audit, @Nullable Reference reference, List<Topics.Line> output, RunHistory history) {}

  private ProofResult.Counts perform(
      Faults faults, Stage stage, Topics topics, Findings findings, Path directory) {
    Audit audit = findings.audit();
    RunHistory history = findings.history();
    Acts acts = new Acts(stage);
    stage.attach(faults, acts::act);
    try (FaultProxy proxy = FaultProxy.start(stage.bootstrap(), 0, faults, acts::act);
        LiveReader live = new LiveReader(stage.bootstrap(), outputs(), history, Topics.Line::of);
        JobCrew crew =
            new JobCrew(
                subject,
                pool,
                faults,
                acts::act,
                new JobCrew.Place(proxy.bootstrapServers(), stage.replicas(), directory))) {
      acts.crew = crew;
      crew.start(1);
      OffsetWatch offsets = new OffsetWatch(stage.replicas() == 1);
      boolean isDone = awaitAllCommitted(topics, offsets, history, UNDER_FIRE);
      // A job that has done its work is stopped while things may still break.
      List<Integer> killed = isDone ? crew.stop(STOP) : List.of();
      faults.heal();
      stage.settle();
      if (!isDone) {
        isDone = awaitAllCommitted(topics, offsets, history, AFTERWARDS);
        killed = crew.stop(STOP);
      }
      audit.put("E3", isDone ? new Verdict.Pass(1) : lagging(topics, crew));
      audit.put(
          "E4",
          killed.isEmpty()
              ? new Verdict.Pass(1)
              : Verdict.broken("instances " + killed + " did not stop within " + STOP));
      audit.put("E1", openTransactions(topics));
      List<String> names = new ArrayList<>(subject.outputs());
      names.addAll(subject.audited());
      List<ConsumerRecord<byte[], byte[]>> records =
          topics.read(Topics.partitions(names, subject.partitions()));
      List<Topics.Line> found =
          records.stream()
              .filter(record -> subject.outputs().contains(record.topic()))
              .map(Topics.Line::of)
              .toList();
      findings.output().addAll(found);
      history.standing(found);
      Reference reference = findings.reference();
      if (reference != null && reference.output() != null) {
        audit.output(reference.expected(), found);
      }
      SortedMap<String, Long> committed = topics.committed(subject.application());
      audit.offsets(inputEnds(topics), committed);
      audit.put("P3", offsets.verdict(committed));
      audit.reads(live.lines(), live.positions(), found);
      subject.audit(stage.bootstrap(), records).forEach(audit::put);
      return crew.counts();
    }
  }

  /** Whom an act is done to. */
  private static final class Acts {
    private final Stage stage;
    private volatile @Nullable JobCrew crew;

    Acts(Stage stage) {
      this.stage = stage;
    }

    void act(Fired fired) {
      JobCrew jobs = crew;
      switch (fired.action().kind()) {
        case KILL_JOB, PAUSE_JOB, RESTART_JOB -> {
          if (jobs != null) {
            jobs.act(fired);
          }
        }
        default -> stage.act(fired);
      }
    }
  }

  private List<TopicPartition> outputs() {
    return Topics.partitions(subject.outputs(), subject.partitions());
  }

  private SortedMap<String, Long> inputEnds(Topics topics) {
    return topics.ends(
        Topics.partitions(subject.inputs(), subject.partitions()), IsolationLevel.READ_UNCOMMITTED);
  }

  private boolean awaitAllCommitted(
      Topics topics, OffsetWatch offsets, RunHistory history, Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (System.nanoTime() < deadline) {
      try {
        SortedMap<String, Long> committed = topics.committed(subject.application());
        offsets.see(committed);
        history.offsets(subject.application(), committed);
        boolean isDone =
            inputEnds(topics).entrySet().stream()
                .allMatch(end -> committed.getOrDefault(end.getKey(), 0L) >= end.getValue());
        if (isDone) {
          return true;
        }
      } catch (KafkaException e) {
        // The brokers are being broken.
        continue;
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return false;
  }

  private Verdict lagging(Topics topics, JobCrew crew) {
    return Verdict.broken(
        "input is left: committed "
            + topics.committed(subject.application())
            + " of "
            + inputEnds(topics)
            + (crew.endings().isEmpty() ? "" : "; " + crew.endings()));
  }

  private Verdict openTransactions(Topics topics) {
    long deadline = System.nanoTime() + OPEN_TRANSACTIONS.toNanos();
    List<TopicPartition> outputs = outputs();
    while (true) {
      SortedMap<String, Long> ends = topics.ends(outputs, IsolationLevel.READ_UNCOMMITTED);
      SortedMap<String, Long> stable = topics.ends(outputs, IsolationLevel.READ_COMMITTED);
      if (stable.equals(ends)) {
        return new Verdict.Pass(ends.size());
      }
      if (System.nanoTime() > deadline) {
        return Verdict.broken(
            "transactions stay open: the last stable offsets are " + stable + " of " + ends);
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private static Path directory() {
    try {
      return Files.createTempDirectory("fencepost-prove");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(java.util.Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException | UncheckedIOException e) {
      // It is in the directory of temporary files.
      return;
    }
  }
}
