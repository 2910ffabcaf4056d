package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.prove.main.Topics.Line;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Compares what a run left with what it must leave. */
public final class Audit {
  private static final int SHOWN = 3;

  private static final int EVENTS_MAX = 40;

  private final Evidence evidence;
  private final SortedMap<String, Verdict> verdicts = new TreeMap<>();
  private long duplicateCount;

  /** What is wrong, and the events that show it. */
  private record Finding(String sentence, List<Event> events) {}

  /** Without events that would show what is wrong. */
  public Audit() {
    this(Evidence.NONE);
  }

  Audit(Evidence evidence) {
    this.evidence = evidence;
  }

  /** What was checked so far, by invariant. */
  public SortedMap<String, Verdict> verdicts() {
    return verdicts;
  }

  /** What something else found; a failure stays. */
  public void put(String id, Verdict verdict) {
    verdicts.merge(id, verdict, (old, other) -> old instanceof Verdict.Fail ? old : other);
  }

  private void check(String id, long occasions, List<Finding> findings) {
    if (findings.isEmpty()) {
      put(id, Verdict.passed(occasions));
      return;
    }
    List<Finding> shown = findings.subList(0, Math.min(SHOWN, findings.size()));
    int left = findings.size() - shown.size();
    String sentence =
        shown.stream().map(Finding::sentence).collect(Collectors.joining("; "))
            + (left > 0 ? "; and " + left + " more" : "");
    LinkedHashSet<Event> events = new LinkedHashSet<>();
    shown.forEach(finding -> events.addAll(finding.events()));
    put(
        id,
        new Verdict.Fail(
            sentence, events.stream().limit(EVENTS_MAX).toList(), Verdict.Ground.SEEN));
  }

  private Finding of(String sentence, Line... lines) {
    List<Event> events = new ArrayList<>();
    for (Line line : lines) {
      events.addAll(evidence.about(line));
    }
    return new Finding(sentence, events);
  }

  /** Copies beyond what was expected, as {@link #output} found them. */
  long duplicateCount() {
    return duplicateCount;
  }

  /** P1: the same records came out as without faults, each as often. */
  void output(List<Line> expected, List<Line> found) {
    Map<String, Integer> left = new HashMap<>();
    expected.forEach(line -> left.merge(line.content(), 1, Integer::sum));
    List<Line> surplus = new ArrayList<>();
    for (Line line : found) {
      if (left.merge(line.content(), -1, Integer::sum) < 0) {
        surplus.add(line);
      }
    }
    duplicateCount = surplus.size();
    List<Line> missing = new ArrayList<>();
    for (Line line : expected) {
      if (left.getOrDefault(line.content(), 0) > 0) {
        left.merge(line.content(), -1, Integer::sum);
        missing.add(line);
      }
    }
    List<Finding> findings = new ArrayList<>();
    addCounted(findings, "missing", missing, line -> line.topic() + " " + line.shown());
    addCounted(findings, "too much", surplus, Line::toString);
    check("P1", expected.size(), findings);
  }

  private void addCounted(
      List<Finding> findings, String what, List<Line> lines, Function<Line, String> text) {
    if (!lines.isEmpty()) {
      List<Line> shown = lines.subList(0, Math.min(2, lines.size()));
      String such = shown.stream().map(text).collect(Collectors.joining(" and "));
      findings.add(
          of("%,d %s, such as %s".formatted(lines.size(), what, such), shown.toArray(Line[]::new)));
    }
  }

  /** P2: the committed offsets are the ends of the input. */
  void offsets(SortedMap<String, Long> ends, SortedMap<String, Long> committed) {
    List<Finding> findings = new ArrayList<>();
    ends.forEach(
        (partition, end) -> {
          long offset = committed.getOrDefault(partition, 0L);
          if (offset != end) {
            findings.add(
                new Finding(
                    "%s is committed up to %d and ends at %d".formatted(partition, offset, end),
                    evidence.aboutPartition(partition)));
          }
        });
    check("P2", committed.size(), findings);
  }

  /** What a reader was handed while the job ran against what stands there at the end. */
  public void reads(List<Line> live, Map<String, Long> positions, List<Line> standing) {
    Map<String, Line> byPlace = new HashMap<>();
    standing.forEach(line -> byPlace.put(line.partition() + "@" + line.offset(), line));
    List<Finding> changed = new ArrayList<>();
    List<Finding> backwards = new ArrayList<>();
    Map<String, Long> last = new HashMap<>();
    Map<String, Line> seen = new HashMap<>();
    for (Line line : live) {
      String place = line.partition() + "@" + line.offset();
      Line stands = byPlace.get(place);
      if (stands == null) {
        changed.add(of("read as committed, and not there at the end: " + line, line));
      } else if (!stands.equals(line)) {
        changed.add(of("read " + line + ", and at the end there is " + stands, line, stands));
      }
      Long before = last.put(line.partition(), line.offset());
      if (before != null && before >= line.offset()) {
        backwards.add(of(line + " was read after offset " + before, line));
      }
      seen.put(place, line);
    }
    List<Finding> skipped = new ArrayList<>();
    for (Line line : standing) {
      boolean isPassed = line.offset() < positions.getOrDefault(line.partition(), 0L);
      if (isPassed && !seen.containsKey(line.partition() + "@" + line.offset())) {
        skipped.add(of("passed without being read: " + line, line));
      }
    }
    check("V1", live.size(), changed);
    check("V2", standing.isEmpty() ? 0 : positions.size(), skipped);
    check("V5", live.size(), backwards);
  }
}
