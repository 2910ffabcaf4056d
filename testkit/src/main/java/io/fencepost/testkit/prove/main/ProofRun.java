package io.fencepost.testkit.prove.main;

import io.fencepost.broker.main.SystemClock;
import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultObserver;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.FaultPoint;
import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.main.TemporaryDirectory;
import io.fencepost.testkit.net.FaultProxy;
import io.fencepost.testkit.prove.Candidate;
import io.fencepost.testkit.prove.ProofResult;
import io.fencepost.testkit.prove.Sighting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/** One run of the job under one plan, from fresh topics to the verdict. */
final class ProofRun {
  /** Faults end after this, whatever they have done; then the job has the same time again. */
  private static final Duration UNDER_FIRE = Duration.ofSeconds(15);

  private static final Duration AFTERWARDS = Duration.ofSeconds(40);
  private static final Duration STOP = Duration.ofSeconds(20);
  private static final Duration OPEN_TRANSACTIONS = Duration.ofSeconds(20);
  private static final int LEFT_SHOWN = 4;
  private static final Path IN_MEMORY = Path.of("/dev/shm");
  private static final long ROOM = 1L << 30;
  private static final String PREFIX = "fencepost-prove";

  /** So many histories of failed runs are held in memory, for pictures of them. */
  private static final int HELD_MAX = 40;

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Subject subject;
  private final Stages stages;
  private final HostPool pool;
  private final Path kept;
  private int failureCount;
  private @Nullable ProofResult example;

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
   * @param kept takes the histories of runs that break something, and of one that does not
   */
  ProofRun(Subject subject, Stages stages, HostPool pool, Path kept) {
    this.subject = subject;
    this.stages = stages;
    this.pool = pool;
    this.kept = kept;
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
    Candidate none = new Candidate(FaultPlan.NONE);
    ProofResult result = run(none, null, observer, output, onCluster);
    if (!result.holds()) {
      List<String> broken = new ArrayList<>();
      result.violations().forEach((id, fail) -> broken.add(id + " " + fail.sentence()));
      throw new IllegalStateException(
          "the job fails without any fault: " + String.join("; ", broken));
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
    ProofHistory history = new ProofHistory();
    Faults faults =
        Faults.of(candidate.plan(), new SystemClock()).observedBy(observer).observedBy(history);
    Findings findings = new Findings(new Audit(history), reference, output, history);
    try (TemporaryDirectory temporary = directory();
        Stage stage = stages.open(onCluster, subject, temporary.path())) {
      try (Topics topics = new Topics(stage.bootstrap())) {
        subject.publish(stage.bootstrap());
        perform(faults, stage, topics, findings, temporary.path());
      }
    } catch (KafkaException e) {
      history.finish(List.of(), new TreeMap<>(), List.of());
      findings.audit.put("E1", Verdict.broken("the cluster did not come back: " + e));
    }
    ProofResult result =
        new ProofResult(
            candidate,
            faults.fired(),
            undone(faults, findings),
            findings.audit.verdicts(),
            findings.counts,
            findings.records,
            TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun),
            null,
            null);
    return kept(result, history, reference != null);
  }

  private static List<String> undone(Faults faults, Findings findings) {
    List<String> undone = new ArrayList<>();
    faults.unfired().forEach(it -> undone.add(it.toString()));
    findings.troubles.forEach(it -> undone.add("could not be done: " + it));
    return undone;
  }

  /** With its history in a file, if it broke something or is the best of those that did not. */
  private synchronized ProofResult kept(
      ProofResult result, ProofHistory history, boolean isCompared) {
    if (!result.holds()) {
      Path file = kept.resolve("failure-" + ++failureCount + ".jsonl");
      History seen = history.keep(file, result.violations());
      return result.keptIn(file.toString(), failureCount <= HELD_MAX ? seen : null);
    }
    if (isCompared && result.undone().isEmpty() && isBetter(result)) {
      Path file = kept.resolve("held.jsonl");
      example = result.keptIn(file.toString(), history.keep(file, result.violations()));
    }
    return result;
  }

  private boolean isBetter(ProofResult result) {
    ProofResult before = example;
    return before == null
        || Comparator.comparingInt((ProofResult it) -> it.fired().size())
                .thenComparingLong(it -> it.counts().fenced())
                .thenComparingLong(it -> it.counts().aborts())
                .compare(result, before)
            > 0;
  }

  /** Of the runs that held, the one in which most was broken; null if there is none. */
  synchronized @Nullable ProofResult example() {
    return example;
  }

  /** What a run comes to, while it is gathered. */
  private static final class Findings {
    final Audit audit;
    final @Nullable Reference reference;
    final List<Topics.Line> output;
    final ProofHistory history;
    ProofResult.Counts counts = ProofResult.Counts.ZERO;
    ProofResult.@Nullable Records records;
    List<String> troubles = List.of();

    Findings(
        Audit audit,
        @Nullable Reference reference,
        List<Topics.Line> output,
        ProofHistory history) {
      this.audit = audit;
      this.reference = reference;
      this.output = output;
      this.history = history;
    }
  }

  private void perform(
      Faults faults, Stage stage, Topics topics, Findings findings, Path directory) {
    ProofHistory history = findings.history;
    SortedMap<String, Long> inputEnds =
        topics.ends(partitions(subject.inputs()), IsolationLevel.READ_UNCOMMITTED);
    Acts acts = new Acts(stage);
    stage.attach(faults, acts::act);
    try (FaultProxy proxy = FaultProxy.start(stage.bootstrap(), 0, faults, acts::act);
        LiveReader live =
            new LiveReader(
                stage.bootstrap(), partitions(subject.outputs()), history::live, Topics.Line::of);
        JobCrew crew =
            new JobCrew(
                subject,
                pool,
                faults,
                acts::act,
                history,
                new JobCrew.Place(proxy.bootstrapServers(), stage.replicas(), directory))) {
      acts.crew = crew;
      crew.start(1);
      OffsetWatch offsets = new OffsetWatch(stage.replicas() == 1);
      boolean isDone = awaitAllCommitted(topics, inputEnds, offsets, history, UNDER_FIRE);
      // A job that has done its work is stopped while things may still break.
      List<Integer> killed = isDone ? crew.stop(STOP) : List.of();
      faults.heal();
      stage.settle();
      findings.troubles = stage.troubles();
      history.healed();
      if (!isDone) {
        isDone = awaitAllCommitted(topics, inputEnds, offsets, history, AFTERWARDS);
        killed = crew.stop(STOP);
      }
      findings.counts = crew.counts();
      Audit audit = findings.audit;
      audit.put(
          "E4",
          killed.isEmpty()
              ? new Verdict.Pass(1)
              : Verdict.broken("instances " + killed + " did not stop within " + STOP));
      audit.put("E1", openTransactions(topics));
      SortedMap<String, Long> committed = topics.committed(subject.application());
      history.offsets(subject.application(), committed);
      if (!isDone) {
        history.left(left(topics, committed));
      }
      List<ConsumerRecord<byte[], byte[]>> records = outputs(topics, live, findings);
      audit.put("E3", isDone ? new Verdict.Pass(1) : lagging(committed, inputEnds, crew, history));
      audit.offsets(inputEnds, committed);
      audit.put("P3", offsets.verdict(committed, history));
      subject.audit(stage.bootstrap(), records).forEach(audit::put);
    }
  }

  /** Reads all output, and checks it; returns it with the topics of the subject's own audit. */
  private List<ConsumerRecord<byte[], byte[]>> outputs(
      Topics topics, LiveReader live, Findings findings) {
    List<String> names = new ArrayList<>(subject.outputs());
    names.addAll(subject.audited());
    List<ConsumerRecord<byte[], byte[]>> records = topics.read(partitions(names));
    List<Topics.Line> found =
        records.stream()
            .filter(record -> subject.outputs().contains(record.topic()))
            .map(Topics.Line::of)
            .toList();
    findings.output.addAll(found);
    findings.history.passed(live.positions());
    JobSends sends =
        findings.history.finish(
            found,
            topics.transactionalIds(),
            WholeLogs.read(topics, subject.outputs(), subject.partitions()));
    Reference reference = findings.reference;
    boolean isComparable = reference != null && reference.output() != null;
    if (reference != null && isComparable) {
      findings.audit.output(reference.expected(), found);
    }
    findings.audit.reads(live.lines(), live.positions(), found);
    findings.records =
        new ProofResult.Records(
            reference != null && isComparable ? (Long) (long) reference.expected().size() : null,
            sends.count(),
            sends.abortedCount(),
            ends(topics, IsolationLevel.READ_UNCOMMITTED).values().stream()
                .mapToLong(Long::longValue)
                .sum(),
            findings.audit.duplicateCount());
    return records;
  }

  /** What of the input stands behind the committed offsets: the first few of each partition. */
  private List<Topics.Line> left(Topics topics, SortedMap<String, Long> committed) {
    return topics.read(partitions(subject.inputs())).stream()
        .map(Topics.Line::of)
        .filter(
            line -> {
              long from = committed.getOrDefault(line.partition(), 0L);
              return line.offset() >= from && line.offset() < from + LEFT_SHOWN;
            })
        .toList();
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

  /** Last stable offsets of the output, or high watermarks. */
  private SortedMap<String, Long> ends(Topics topics, IsolationLevel isolation) {
    return topics.ends(partitions(subject.outputs()), isolation);
  }

  private List<TopicPartition> partitions(List<String> names) {
    return Topics.partitions(names, subject.partitions());
  }

  private boolean awaitAllCommitted(
      Topics topics,
      SortedMap<String, Long> inputEnds,
      OffsetWatch offsets,
      ProofHistory history,
      Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (System.nanoTime() < deadline) {
      try {
        SortedMap<String, Long> committed = topics.committed(subject.application());
        offsets.see(committed);
        history.offsets(subject.application(), committed);
        history.bounds(
            ends(topics, IsolationLevel.READ_COMMITTED),
            ends(topics, IsolationLevel.READ_UNCOMMITTED));
        boolean isDone =
            inputEnds.entrySet().stream()
                .allMatch(end -> committed.getOrDefault(end.getKey(), 0L) >= end.getValue());
        if (isDone) {
          return true;
        }
      } catch (InterruptException e) {
        throw e;
      } catch (KafkaException e) {
        // The brokers are being broken.
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return false;
  }

  private static Verdict lagging(
      SortedMap<String, Long> committed,
      SortedMap<String, Long> inputEnds,
      JobCrew crew,
      ProofHistory history) {
    List<Event> events = new ArrayList<>();
    inputEnds.keySet().forEach(partition -> events.addAll(history.aboutPartition(partition)));
    return Verdict.broken(
        "input is left: committed "
            + committed
            + " of "
            + inputEnds
            + (crew.endings().isEmpty() ? "" : "; " + crew.endings()),
        events.toArray(Event[]::new));
  }

  private Verdict openTransactions(Topics topics) {
    long deadline = System.nanoTime() + OPEN_TRANSACTIONS.toNanos();
    while (true) {
      SortedMap<String, Long> ends = ends(topics, IsolationLevel.READ_UNCOMMITTED);
      SortedMap<String, Long> stable = ends(topics, IsolationLevel.READ_COMMITTED);
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

  /** In memory where the machine has a directory for that: what outlives it proves nothing. */
  private static TemporaryDirectory directory() {
    return Files.isWritable(IN_MEMORY) && IN_MEMORY.toFile().getUsableSpace() > ROOM
        ? TemporaryDirectory.create(IN_MEMORY, PREFIX)
        : TemporaryDirectory.create(PREFIX);
  }
}
