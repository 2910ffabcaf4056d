package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Passed;
import io.fencepost.testkit.history.Event.Read;
import io.fencepost.testkit.history.Event.Started;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which values each reader of one isolation level was handed, and how far each got. */
final class ReaderViews {
  private final Map<String, Map<String, Read>> readsByReader = new LinkedHashMap<>();
  private final Map<TopicPartition, Map<String, Range>> ranges = new LinkedHashMap<>();

  /** What a reader has gone through: from the start up to where it has passed. */
  private static final class Range {
    private final long start;
    private final @Nullable Passed furthest;

    private Range(long start, @Nullable Passed furthest) {
      this.start = start;
      this.furthest = furthest;
    }

    private Range with(Passed passed) {
      return furthest == null || passed.position() > furthest.position()
          ? new Range(start, passed)
          : this;
    }
  }

  private ReaderViews() {}

  static ReaderViews of(History history, Isolation isolation) {
    ReaderViews views = new ReaderViews();
    for (Event event : history.events()) {
      if (event instanceof Read it && it.isolation() == isolation) {
        views
            .readsByReader
            .computeIfAbsent(it.reader(), r -> new LinkedHashMap<>())
            .putIfAbsent(it.value(), it);
      } else if (event instanceof Started it && it.isolation() == isolation) {
        views.in(it.partition()).put(it.reader(), new Range(it.offset(), null));
      } else if (event instanceof Passed it && it.isolation() == isolation) {
        views
            .in(it.partition())
            .compute(
                it.reader(), (r, range) -> (range == null ? new Range(0, null) : range).with(it));
      }
    }
    return views;
  }

  private Map<String, Range> in(TopicPartition partition) {
    return ranges.computeIfAbsent(partition, p -> new LinkedHashMap<>());
  }

  /** Those that went past this offset, so that they saw what they were to see there. */
  List<Passed> passing(TopicPartition partition, long offset) {
    Map<String, Range> readers = ranges.get(partition);
    if (readers == null) {
      return List.of();
    }
    List<Passed> passing = new ArrayList<>(readers.size());
    for (Range range : readers.values()) {
      Passed furthest = range.furthest;
      if (furthest != null && offset >= range.start && furthest.position() > offset) {
        passing.add(furthest);
      }
    }
    return passing;
  }

  /** How the reader was handed the value; null if it was not. */
  @Nullable Read sight(String reader, String value) {
    Map<String, Read> reads = readsByReader.get(reader);
    return reads == null ? null : reads.get(value);
  }
}
