package io.fencepost.testkit.report;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What is drawn of one run.
 *
 * @param isTimed whether positions are milliseconds; else they are places in the order of events
 * @param startMs the time at position 0, in milliseconds since the epoch
 * @param span the last position at which anything is drawn
 */
record RunChart(
    String name,
    boolean isTimed,
    long startMs,
    long span,
    Timeline timeline,
    LogCurve.Curves curves) {
  private static final int LANES_MAX = 64;
  private static final int BARS_MAX = 4_000;
  private static final int SENDS_MAX = 12_000;
  private static final int PARTITIONS_MAX = 24;
  private static final int POINTS_MAX = 16_000;

  /** Of so many runs in the report. */
  static RunChart of(Run run, List<Event> witnesses, int runCount) {
    TreeSet<String> transactions = new TreeSet<>();
    TreeSet<TopicPartition> partitions = new TreeSet<>();
    for (Event event : witnesses) {
      EventFacts facts = EventFacts.of(event);
      transactions.addAll(facts.transactions());
      String origin = run.history().transactions().transactionOf(event);
      if (origin != null) {
        transactions.add(origin);
      }
      if (facts.partition() != null) {
        partitions.add(facts.partition());
      }
    }
    return of(run, transactions, partitions, Math.max(1, runCount));
  }

  private static RunChart of(
      Run run, SortedSet<String> transactions, SortedSet<TopicPartition> partitions, int runCount) {
    Axis axis = Axis.of(run);
    Timeline timeline =
        Timeline.of(
            run,
            axis,
            transactions,
            new Timeline.Limits(LANES_MAX, BARS_MAX / runCount, SENDS_MAX / runCount));
    LogCurve.Curves curves =
        LogCurve.of(
            run, axis, partitions, new LogCurve.Limits(PARTITIONS_MAX, POINTS_MAX / runCount));
    return new RunChart(
        run.name(), axis.isTimed(), axis.startMs(), span(timeline, curves), timeline, curves);
  }

  /** Whether there is nothing to draw. */
  boolean isEmpty() {
    return timeline.lanes().isEmpty() && timeline.faults().isEmpty() && curves.drawn().isEmpty();
  }

  private static long span(Timeline timeline, LogCurve.Curves curves) {
    long span = 1;
    for (Timeline.Lane lane : timeline.lanes()) {
      for (Timeline.Bar bar : lane.bars()) {
        span = Math.max(span, bar.end());
      }
      for (Timeline.Note note : lane.notes()) {
        span = Math.max(span, note.at());
      }
    }
    for (Timeline.Note fault : timeline.faults()) {
      span = Math.max(span, fault.at());
    }
    for (LogCurve curve : curves.drawn()) {
      for (long[] points :
          List.of(curve.logEnd(), curve.highWatermark(), curve.lastStableOffset())) {
        span = points.length == 0 ? span : Math.max(span, points[points.length - 2]);
      }
    }
    return span;
  }
}
