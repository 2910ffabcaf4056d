package io.fencepost.testkit.junit;

import io.fencepost.testkit.history.Check;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.LogEvents;
import io.fencepost.testkit.history.Verification;
import io.fencepost.testkit.prove.main.Audit;
import io.fencepost.testkit.prove.main.LiveReader;
import io.fencepost.testkit.prove.main.OffsetWatch;
import io.fencepost.testkit.prove.main.RunHistory;
import io.fencepost.testkit.prove.main.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.opentest4j.AssertionFailedError;

/** Compares what a run left with what it must leave. Not thread-safe. */
final class RunAudit {
  private static final Duration ENDS = Duration.ofSeconds(30);

  /** Those of the history's checks that are about another job, or are made here. */
  private static final Set<String> OTHERS =
      Set.of("P1", "P2", "P3", "P4", "P5", "P6", "V1", "V4", "E1");

  private final TestCluster cluster;
  private final ExactlyOnceRun.Wanted wanted;
  private final Notes notes;
  private final List<TopicPartition> inputs;
  private final SortedMap<String, Long> ends;
  private final OffsetWatch offsets;
  private final boolean isOneBroker;
  private SortedMap<String, Long> committed = new TreeMap<>();
  private long outputCount;

  /** What is seen, and what of it is wrong. */
  record Notes(RecordTexts texts, Origins origins, RunHistory history, Findings findings) {}

  /** Of a run whose input stands in these partitions by now. */
  RunAudit(
      TestCluster cluster, ExactlyOnceRun.Wanted wanted, Notes notes, List<TopicPartition> inputs) {
    this.cluster = cluster;
    this.wanted = wanted;
    this.notes = notes;
    this.inputs = inputs;
    this.isOneBroker = cluster.isEmbedded() && cluster.brokers().brokers().size() == 1;
    this.offsets = new OffsetWatch(isOneBroker);
    try (Topics topics = new Topics(cluster.bootstrapServers())) {
      this.ends = topics.ends(inputs, IsolationLevel.READ_UNCOMMITTED);
    }
  }

  long inputCount() {
    return ends.values().stream().mapToLong(Long::longValue).sum();
  }

  long outputCount() {
    return outputCount;
  }

  /** Looks at the committed offsets, which must not go back. */
  boolean isCommitted(Topics topics, String group) {
    SortedMap<String, Long> now = topics.committed(group);
    offsets.see(now);
    TreeMap<String, Long> news = new TreeMap<>();
    now.forEach(
        (partition, offset) -> {
          Long before = committed.get(partition);
          // One that is cut off says what it knew: no step back, as nobody can go by that.
          if (before == null || offset > before || (isOneBroker && !offset.equals(before))) {
            news.put(partition, offset);
          }
        });
    notes.history().offsets(group, news);
    committed.putAll(news);
    return ends.entrySet().stream()
        .allMatch(end -> now.getOrDefault(end.getKey(), 0L) >= end.getValue());
  }

  /** Whether each output is as long as it has to be. */
  boolean isComplete() {
    for (TopicContent expected : wanted.outputs()) {
      if (read(expected.topic()).size() < expected.records().size()) {
        return false;
      }
    }
    return true;
  }

  private List<ConsumerRecord<byte[], byte[]>> read(String topic) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    try (PartitionReader reader = new PartitionReader(cluster.bootstrapServers(), true)) {
      for (TopicPartition partition : reader.partitions(topic)) {
        records.addAll(reader.read(partition, reader.start(partition), reader.end(partition)));
      }
    }
    return records;
  }

  private void noteStarts(String topic) {
    try (PartitionReader reader = new PartitionReader(cluster.bootstrapServers(), true)) {
      for (TopicPartition partition : reader.partitions(topic)) {
        notes.history().standingFrom(partition.toString(), reader.start(partition));
      }
    }
  }

  /** P2 and P3, when nothing is broken any more. */
  void offsets(Topics topics, String group) {
    SortedMap<String, Long> settled = topics.committed(group);
    List<Finding> wrong = new ArrayList<>();
    ends.forEach(
        (partition, end) -> {
          long offset = settled.getOrDefault(partition, 0L);
          if (offset != end) {
            wrong.add(
                Finding.of(
                    "P2",
                    "the committed offset of %s is %s, its end %d"
                        .formatted(
                            partition, settled.containsKey(partition) ? offset : "none", end)));
          }
        });
    notes.findings().check("P2", ends.size(), wrong);
    notes.findings().addAll(Map.of("P3", offsets.verdict(settled)));
  }

  /** P1 and P4 of the output, V1, V2 and V5 of who read it meanwhile; what became of the input. */
  void records(LiveReader live) {
    List<Topics.Line> standing = new ArrayList<>();
    for (TopicContent expected : wanted.outputs()) {
      noteStarts(expected.topic());
      List<ConsumerRecord<byte[], byte[]>> found = read(expected.topic());
      found.forEach(notes.origins()::see);
      List<Topics.Line> lines = found.stream().map(notes.texts()::line).toList();
      List<Event> events = notes.history().standing(lines, notes.origins()::content);
      List<Finding> wrong = OutputMatch.findings(expected, found, events);
      for (String id : List.of("P1", "P4")) {
        notes
            .findings()
            .check(
                id,
                expected.records().size(),
                wrong.stream().filter(it -> it.id().equals(id)).toList());
      }
      standing.addAll(lines);
      outputCount += found.size();
    }
    Audit audit = new Audit();
    audit.reads(live.lines(), live.positions(), standing);
    notes.findings().addAll(audit.verdicts());
  }

  /** For L6: what was acknowledged when the input was sent still stands there. */
  void input() {
    input(Isolation.READ_UNCOMMITTED);
    input(Isolation.READ_COMMITTED);
  }

  private void input(Isolation isolation) {
    boolean isOfCommitted = isolation == Isolation.READ_COMMITTED;
    String scan = isOfCommitted ? "scan of committed" : "scan";
    try (PartitionReader reader = new PartitionReader(cluster.bootstrapServers(), isOfCommitted)) {
      for (TopicPartition partition : inputs) {
        var scanned = LogEvents.parse(partition.toString());
        long start = reader.start(partition);
        long end = reader.end(partition);
        add(new Event.Started(scan, isolation, scanned, start));
        for (ConsumerRecord<byte[], byte[]> record : reader.read(partition, start, end)) {
          notes.origins().see(record);
          Topics.Line line = notes.texts().line(record);
          add(RunHistory.read(scan, isolation, line, notes.origins().content(line)));
        }
        add(new Event.Passed(scan, isolation, scanned, end));
      }
    }
  }

  private void add(Event event) {
    notes.history().audited(event);
  }

  /** E1: no transaction is open in what the job writes. */
  void ends(Collection<String> topics) {
    List<Finding> wrong = new ArrayList<>();
    for (String topic : topics) {
      try {
        cluster.within(ENDS).awaitLsoAtEnd(topic);
      } catch (AssertionFailedError e) {
        wrong.add(Finding.of("E1", String.valueOf(e.getMessage())));
      }
    }
    notes.findings().check("E1", topics.size(), wrong);
  }

  /** What the checks of histories say of all that was seen. */
  void history() {
    List<Check> checks =
        Verification.checks().stream().filter(check -> !OTHERS.contains(check.id())).toList();
    notes.findings().addAll(Verification.verdicts(notes.history().finished(), checks));
  }
}
