package io.fencepost.testkit.prove.main;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultObserver;
import io.fencepost.testkit.fault.FaultPoint;
import io.fencepost.testkit.fault.FaultPoints;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.LogEvents;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.prove.main.JobSends.Timed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeSet;

/**
 * What was seen of one run: of the job by its steps and by the logs, of readers, offsets and
 * faults. Safe to use from any thread until it is {@link #finish finished}, then by one.
 */
final class ProofHistory implements FaultObserver, Evidence {
  private static final String AUDITOR = "audit";
  private static final String READER = "live";
  private static final TreeSet<String> OF_GROUP =
      new TreeSet<>(
          List.of(
              "CommitFailedException",
              "IllegalGenerationException",
              "UnknownMemberIdException",
              "RebalanceInProgressException"));
  private static final TreeSet<String> OF_PRODUCER =
      new TreeSet<>(List.of("ProducerFencedException", "InvalidProducerEpochException"));

  private final long begunMs = System.currentTimeMillis();
  private final JobPaces paces = new JobPaces();
  private final List<Timed> seen = new ArrayList<>();
  private final List<LineRead> reads = new ArrayList<>();
  private List<Timed> all = List.of();

  private record LineRead(String reader, Topics.Line line, long atMs) {}

  private synchronized void add(Event event) {
    seen.add(new Timed(event, System.currentTimeMillis()));
  }

  @Override
  public synchronized void onPassed(FaultPoint point, long occurrence, FaultFacts facts) {
    String worker = facts.transactionalId();
    long nowMs = System.currentTimeMillis();
    if (worker == null) {
      return;
    }
    if (point.equals(FaultPoints.of(ApiKey.INIT_PRODUCER_ID))) {
      add(new Event.Opened(worker, paces.opened(worker, nowMs)));
    } else if (point.equals(FaultPoints.BEFORE_SEND) && !facts.partitions().isEmpty()) {
      paces.passed(worker, new JobPaces.Step(nowMs, facts.partitions().get(0).topic()));
    } else if (point.equals(FaultPoints.BEFORE_END)) {
      paces.passed(worker, new JobPaces.Step(nowMs, ""));
    }
  }

  @Override
  public synchronized void onFired(Fired fired) {
    add(new Event.Fault(fired.sentence()));
  }

  /** Nothing is broken any more. */
  void healed() {
    add(new Event.Repair("the faults are over"));
  }

  /** A worker heard that another one has its place. */
  synchronized void fenced(String worker, String exception) {
    String session = paces.session(worker);
    if (OF_PRODUCER.contains(exception)) {
      add(new Event.Late(session, "request", Outcome.FAILED, exception));
    } else if (OF_GROUP.contains(exception)) {
      add(new Event.StaleStaged(session, Outcome.FAILED, exception));
    }
  }

  void offsets(String group, SortedMap<String, Long> committed) {
    committed.forEach(
        (partition, offset) ->
            add(new Event.OffsetSeen(group, LogEvents.parse(partition), offset)));
  }

  /** What leaders said of the output. */
  void bounds(SortedMap<String, Long> lastStableOffsets, SortedMap<String, Long> highWatermarks) {
    lastStableOffsets.forEach(
        (partition, stable) ->
            add(
                new Event.Bounds(
                    LogEvents.parse(partition),
                    0,
                    stable,
                    highWatermarks.getOrDefault(partition, stable))));
  }

  synchronized void live(Topics.Line line) {
    reads.add(new LineRead(READER, line, System.currentTimeMillis()));
  }

  void passed(Map<String, Long> positions) {
    positions.forEach(
        (partition, position) ->
            add(
                new Event.Passed(
                    READER, Isolation.READ_COMMITTED, LogEvents.parse(partition), position)));
  }

  /** What is left of the input, from where it was committed. */
  synchronized void left(List<Topics.Line> input) {
    for (Topics.Line line : input) {
      String value = line.text();
      String plain = Event.plain(line.partition() + "@" + line.offset() + " " + value);
      seen.add(
          new Timed(
              new Event.Sent(
                  plain, LogEvents.parse(line.partition()), value, Outcome.OK, line.offset()),
              begunMs));
    }
  }

  /**
   * Nothing is added any more.
   *
   * @param standing what stands committed at the end
   * @param ids of transactional producers, by their producer ids
   * @param logs of the output
   * @return what the logs hold of the job
   */
  synchronized JobSends finish(
      List<Topics.Line> standing, SortedMap<Long, String> ids, List<WholeLogs.Batch> logs) {
    long nowMs = System.currentTimeMillis();
    JobSends sends = new JobSends(ids, paces);
    sends.take(logs);
    standing.forEach(line -> reads.add(new LineRead(AUDITOR, line, nowMs)));
    List<Timed> found = new ArrayList<>();
    for (Timed one : sends.events()) {
      // A clock of a broker may have jumped.
      found.add(new Timed(one.event(), Math.max(begunMs, Math.min(one.atMs(), nowMs))));
    }
    for (LineRead read : reads) {
      found.add(new Timed(read(read.reader(), read.line(), sends.value(read.line())), read.atMs()));
    }
    found.addAll(seen);
    found.sort(Comparator.comparingLong(Timed::atMs));
    all = found;
    return sends;
  }

  private static Event read(String reader, Topics.Line line, String value) {
    return new Event.Read(
        reader, Isolation.READ_COMMITTED, LogEvents.parse(line.partition()), line.offset(), value);
  }

  @Override
  public List<Event> about(Topics.Line line) {
    String content = line.text();
    LinkedHashSet<String> transactions = new LinkedHashSet<>();
    List<Event> events = new ArrayList<>();
    for (Timed one : all) {
      if (one.event() instanceof Event.Sent it && isOf(it.partition(), it.value(), line, content)) {
        transactions.add(it.transaction());
        events.add(it);
      } else if (one.event() instanceof Event.Read it
          && isOf(it.partition(), it.value(), line, content)) {
        events.add(it);
      }
    }
    for (Timed one : all) {
      if (one.event() instanceof Event.Ended it && transactions.contains(it.transaction())) {
        events.add(it);
      }
    }
    return events;
  }

  private static boolean isOf(
      TopicPartition partition, String value, Topics.Line line, String content) {
    return partition.topic().equals(line.topic()) && JobSends.isNamed(value, content);
  }

  @Override
  public List<Event> aboutPartition(String partition) {
    TopicPartition wanted = LogEvents.parse(partition);
    List<Event> events = new ArrayList<>();
    Event.OffsetSeen last = null;
    for (Timed one : all) {
      if (one.event() instanceof Event.Sent it && it.partition().equals(wanted)) {
        events.add(it);
      } else if (one.event() instanceof Event.OffsetSeen it && it.partition().equals(wanted)) {
        if (last != null && it.offset() < last.offset()) {
          events.add(last);
          events.add(it);
        }
        last = it;
      }
    }
    if (last != null) {
      events.add(last);
    }
    return events;
  }

  /**
   * Writes it as JSON lines, what was broken at its end, and returns it with the lines of the file.
   * Batches and markers are left out of the file: without the log of their coordinator no check can
   * tell whether they are right.
   */
  synchronized History keep(Path file, SortedMap<String, Verdict.Fail> violations) {
    History history = new History();
    RunHistory written = new RunHistory();
    long line = 0;
    for (Timed one : all) {
      if (!isOfLog(one.event())) {
        written.addAt(one.event(), who(one.event()), one.atMs());
        line++;
      }
      history.add(one.event(), line, one.atMs());
    }
    written.keep(file, violations);
    return history;
  }

  /** What says nothing without the log of its coordinator. */
  static boolean isOfLog(Event event) {
    return event instanceof Event.MarkerLogged || event instanceof Event.TransactionalBatch;
  }

  private static String who(Event event) {
    if (event instanceof Event.Fault || event instanceof Event.Repair) {
      return "plan";
    }
    return event instanceof Event.Read it ? it.reader() : AUDITOR;
  }
}
