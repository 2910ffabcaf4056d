package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.prove.main.Topics.Line;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Compares what a run left with what it must leave. */
public final class Audit {
  private static final int SHOWN = 3;

  private final SortedMap<String, Verdict> verdicts = new TreeMap<>();

  /** What was checked so far, by invariant. */
  public SortedMap<String, Verdict> verdicts() {
    return verdicts;
  }

  /** What was broken. */
  public SortedMap<String, Verdict.Fail> violations() {
    TreeMap<String, Verdict.Fail> broken = new TreeMap<>();
    verdicts.forEach(
        (id, verdict) -> {
          if (verdict instanceof Verdict.Fail fail) {
            broken.put(id, fail);
          }
        });
    return broken;
  }

  /** What something else found; a failure stays. */
  public void put(String id, Verdict verdict) {
    verdicts.merge(id, verdict, (old, other) -> old instanceof Verdict.Fail ? old : other);
  }

  private void check(String id, long occasions, List<String> witnesses) {
    if (witnesses.isEmpty()) {
      put(id, Verdict.passed(occasions));
      return;
    }
    String more = witnesses.size() > SHOWN ? "; and " + (witnesses.size() - SHOWN) + " more" : "";
    put(
        id,
        Verdict.broken(
            String.join("; ", witnesses.subList(0, Math.min(SHOWN, witnesses.size()))) + more));
  }

  /** P1: the same records came out as without faults, each as often. */
  void output(List<Line> expected, List<Line> found) {
    Map<String, Integer> left = new HashMap<>();
    expected.forEach(line -> left.merge(line.content(), 1, Integer::sum));
    List<String> surplus = new ArrayList<>();
    for (Line line : found) {
      if (left.merge(line.content(), -1, Integer::sum) < 0) {
        surplus.add(line.toString());
      }
    }
    List<String> missing = new ArrayList<>();
    for (Line line : expected) {
      if (left.getOrDefault(line.content(), 0) > 0) {
        left.merge(line.content(), -1, Integer::sum);
        missing.add(line.topic() + " " + line.key() + "=" + Line.shortened(line.value()));
      }
    }
    List<String> witnesses = new ArrayList<>();
    addCounted(witnesses, "missing", missing);
    addCounted(witnesses, "too much", surplus);
    check("P1", expected.size(), witnesses);
  }

  private static void addCounted(List<String> witnesses, String what, List<String> records) {
    if (!records.isEmpty()) {
      witnesses.add(
          "%,d %s, such as %s"
              .formatted(
                  records.size(),
                  what,
                  String.join(" and ", records.subList(0, Math.min(2, records.size())))));
    }
  }

  /** P2: the committed offsets stand behind all input. */
  void offsets(SortedMap<String, Long> ends, SortedMap<String, Long> committed) {
    List<String> witnesses = new ArrayList<>();
    ends.forEach(
        (partition, end) -> {
          long offset = committed.getOrDefault(partition, 0L);
          if (offset > end) {
            witnesses.add(partition + " is committed up to " + offset + " and ends at " + end);
          }
        });
    check("P2", committed.size(), witnesses);
  }

  /** What a reader was handed while the job ran against what stands there at the end. */
  public void reads(List<Line> live, Map<String, Long> positions, List<Line> standing) {
    Map<String, Line> byPlace = new HashMap<>();
    standing.forEach(line -> byPlace.put(line.partition() + "@" + line.offset(), line));
    List<String> changed = new ArrayList<>();
    List<String> backwards = new ArrayList<>();
    Map<String, Long> last = new HashMap<>();
    Map<String, Line> seen = new HashMap<>();
    for (Line line : live) {
      String place = line.partition() + "@" + line.offset();
      Line stands = byPlace.get(place);
      if (stands == null) {
        changed.add("read as committed, and not there at the end: " + line);
      } else if (!stands.equals(line)) {
        changed.add("read " + line + ", and at the end there is " + stands);
      }
      Long before = last.put(line.partition(), line.offset());
      if (before != null && before >= line.offset()) {
        backwards.add(line + " was read after offset " + before);
      }
      seen.put(place, line);
    }
    List<String> skipped = new ArrayList<>();
    for (Line line : standing) {
      boolean isPassed = line.offset() < positions.getOrDefault(line.partition(), 0L);
      if (isPassed && !seen.containsKey(line.partition() + "@" + line.offset())) {
        skipped.add("passed without being read: " + line);
      }
    }
    check("V1", live.size(), changed);
    check("V2", standing.isEmpty() ? 0 : positions.size(), skipped);
    check("V5", live.size(), backwards);
  }
}
