package io.fencepost.testkit.prove.main;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** When each worker passed its steps, told apart by its transactions. Not thread-safe. */
final class JobPaces {
  private final TreeMap<String, List<Step>> steps = new TreeMap<>();
  private final TreeMap<String, List<Long>> sessions = new TreeMap<>();
  private final TreeMap<String, Long> ends = new TreeMap<>();

  /**
   * A step that was passed.
   *
   * @param topic that is sent to; empty for the end of a transaction
   */
  record Step(long atMs, String topic) {}

  /** A worker is about to get its epoch; returns the name of its session. */
  String opened(String worker, long atMs) {
    List<Long> all = sessions.computeIfAbsent(worker, it -> new ArrayList<>());
    all.add(atMs);
    return worker + "." + all.size();
  }

  /** The session that a worker is in. */
  String session(String worker) {
    return session(worker, Long.MAX_VALUE);
  }

  private String session(String worker, long atMs) {
    long begun = sessions.getOrDefault(worker, List.of()).stream().filter(it -> it <= atMs).count();
    return worker + "." + Math.max(1, begun);
  }

  void passed(String worker, Step step) {
    steps.computeIfAbsent(worker, it -> new ArrayList<>()).add(step);
  }

  /**
   * The steps of a worker's next transaction, asked for in the order of their ends.
   *
   * @param endMs when its marker was written, at the latest
   */
  Pace next(String worker, long endMs) {
    List<Step> all = steps.getOrDefault(worker, List.of());
    long before = ends.getOrDefault(worker, Long.MIN_VALUE);
    long askedMs = endMs;
    for (Step step : all) {
      boolean isWithin = step.atMs() > before && step.atMs() <= endMs;
      if (isWithin && step.topic().isEmpty()) {
        askedMs = step.atMs();
      }
    }
    TreeMap<String, ArrayDeque<Long>> sends = new TreeMap<>();
    long firstMs = askedMs;
    for (Step step : all) {
      if (step.atMs() > before && step.atMs() <= askedMs && !step.topic().isEmpty()) {
        firstMs = Math.min(firstMs, step.atMs());
        sends.computeIfAbsent(step.topic(), it -> new ArrayDeque<>()).add(step.atMs());
      }
    }
    ends.put(worker, askedMs);
    return new Pace(session(worker, firstMs), sends, firstMs, askedMs);
  }

  /** When a transaction did what. */
  static final class Pace {
    private final String session;
    private final TreeMap<String, ArrayDeque<Long>> sends;
    private final long firstMs;
    private final long endAskedMs;

    Pace(String session, TreeMap<String, ArrayDeque<Long>> sends, long firstMs, long endAskedMs) {
      this.session = session;
      this.sends = sends;
      this.firstMs = firstMs;
      this.endAskedMs = endAskedMs;
    }

    String session() {
      return session;
    }

    /** When its next record to the topic was sent; the last one's time if there were no more. */
    long sentMs(String topic) {
      ArrayDeque<Long> left = sends.get(topic);
      if (left == null) {
        return firstMs;
      }
      return left.size() > 1 ? left.remove() : left.element();
    }

    long endAskedMs() {
      return endAskedMs;
    }
  }
}
