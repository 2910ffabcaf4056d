package io.fencepost.testkit.report;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * How far a partition's log was, as clients saw it: positions and offsets by turns.
 *
 * @param isBound whether the high watermark and the last stable offset are only where readers were,
 *     so that they may have been further
 */
record LogCurve(
    TopicPartition partition,
    long[] logEnd,
    long[] highWatermark,
    long[] lastStableOffset,
    boolean isBound) {
  /** How much is drawn. */
  record Limits(int partitions, int points) {}

  /** All curves, and how many partitions there are with anything in them. */
  record Curves(List<LogCurve> drawn, int partitionCount) {}

  /**
   * What is drawn if there are too many partitions: those of the witnesses, then in their order.
   */
  static Curves of(Run run, Axis axis, SortedSet<TopicPartition> witnesses, Limits limits) {
    TreeMap<TopicPartition, Gathering> all = new TreeMap<>();
    List<Event> events = run.history().events();
    for (int i = 0; i < events.size(); i++) {
      take(events.get(i), axis.at(i), all);
    }
    all.values().removeIf(Gathering::isFlat);
    TreeMap<TopicPartition, Gathering> left = new TreeMap<>(all);
    left.keySet().removeAll(witnesses);
    List<Map.Entry<TopicPartition, Gathering>> order = new ArrayList<>(all.entrySet());
    order.removeIf(entry -> left.containsKey(entry.getKey()));
    order.addAll(left.entrySet());
    int drawn = Math.min(order.size(), limits.partitions());
    int points = limits.points() / Math.max(1, 3 * drawn);
    List<LogCurve> curves = new ArrayList<>();
    order
        .subList(0, drawn)
        .forEach(entry -> curves.add(entry.getValue().curve(entry.getKey(), points)));
    return new Curves(curves, all.size());
  }

  private static void take(Event event, long at, TreeMap<TopicPartition, Gathering> all) {
    if (event instanceof Event.Sent it && it.outcome() == Outcome.OK) {
      of(it.partition(), all).end(at, it.offset() + 1);
    } else if (event instanceof Event.Read it) {
      of(it.partition(), all).end(at, it.offset() + 1);
      of(it.partition(), all).passed(at, it.isolation(), it.offset() + 1);
    } else if (event instanceof Event.Passed it) {
      of(it.partition(), all).passed(at, it.isolation(), it.position());
    } else if (event instanceof Event.Watermarks it) {
      of(it.partition(), all).told(at, it.reader(), it.lastStableOffset(), it.highWatermark());
    } else if (event instanceof Event.Bounds it) {
      of(it.partition(), all).told(at, "", it.lastStableOffset(), it.highWatermark());
    }
  }

  private static Gathering of(TopicPartition partition, TreeMap<TopicPartition, Gathering> all) {
    return all.computeIfAbsent(partition, key -> new Gathering());
  }

  private static final class Gathering {
    private final Steps end = new Steps();
    private final Steps high = new Steps();
    private final Steps stable = new Steps();
    private boolean isTold;
    private final TreeMap<String, Long> highByReader = new TreeMap<>();
    private final TreeMap<String, Long> stableByReader = new TreeMap<>();

    void end(long at, long offset) {
      raise(end, at, offset);
    }

    void passed(long at, Isolation isolation, long position) {
      raise(end, at, position);
      raise(high, at, position);
      if (isolation == Isolation.READ_COMMITTED) {
        raise(stable, at, position);
      }
    }

    void told(long at, String reader, long stableOffset, long highWatermark) {
      isTold = true;
      raise(end, at, highWatermark);
      follow(high, highByReader, reader, at, highWatermark);
      follow(stable, stableByReader, reader, at, stableOffset);
    }

    private static void raise(Steps steps, long at, long offset) {
      if (steps.isEmpty() || offset > steps.last()) {
        steps.set(at, offset);
      }
    }

    /** Readers hear of it at different times, so it fell only if one of them heard so. */
    private static void follow(
        Steps steps, TreeMap<String, Long> byReader, String reader, long at, long offset) {
      Long before = byReader.put(reader, offset);
      if (before != null && offset < before) {
        steps.set(at, offset);
      } else {
        raise(steps, at, offset);
      }
    }

    /** Nothing ever came. */
    boolean isFlat() {
      return end.isEmpty() || end.last() == 0;
    }

    LogCurve curve(TopicPartition partition, int points) {
      return new LogCurve(
          partition, end.thinned(points), high.thinned(points), stable.thinned(points), !isTold);
    }
  }
}
