package io.fencepost.testkit.junit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.apache.kafka.common.IsolationLevel;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;

/** Says what readers of a log see; a failure shows the log. It is read once, at the start. */
public final class LogAssert {
  private final LogReading reading;

  LogAssert(LogReading reading) {
    this.reading = reading;
  }

  /** A reader that drops what was aborted and stops at the last stable offset. */
  public Reader readCommitted() {
    return new Reader(IsolationLevel.READ_COMMITTED);
  }

  /** A reader of everything up to the high watermark. */
  public Reader readUncommitted() {
    return new Reader(IsolationLevel.READ_UNCOMMITTED);
  }

  /** The last stable offset: the first of the first open transaction, or the high watermark. */
  public LogAssert hasLso(long offset) {
    return hasOffset("last stable offset", reading.lastStableOffset(), offset);
  }

  /** The offset behind the last one that is replicated. */
  public LogAssert hasHighWatermark(long offset) {
    return hasOffset("high watermark", reading.highWatermark(), offset);
  }

  private LogAssert hasOffset(String name, long actual, long expected) {
    if (actual != expected) {
      throw new AssertionFailedError(
          "the %s of %s is %d, not %d%n%s"
              .formatted(
                  name, reading.partition(), actual, expected, LogTable.of(reading, null).text()),
          expected,
          actual);
    }
    return this;
  }

  /** What one kind of reader sees. */
  public final class Reader {
    private final IsolationLevel isolation;

    private Reader(IsolationLevel isolation) {
      this.isolation = isolation;
    }

    /** Exactly these values, from the start of the log, in this order; compared as text. */
    public LogAssert sees(@Nullable Object... values) {
      List<String> expected = new ArrayList<>();
      Arrays.asList(values)
          .forEach(
              it -> expected.add(it instanceof byte[] b ? Records.text(b) : String.valueOf(it)));
      List<String> actual =
          reading.seenAt(isolation).stream().map(LogReading.SeenValue::value).toList();
      if (!actual.equals(expected)) {
        throw new AssertionFailedError(message(expected, actual), expected, actual);
      }
      return LogAssert.this;
    }

    /** Nothing at all. */
    public LogAssert seesNothing() {
      return sees();
    }

    private String message(List<String> expected, List<String> actual) {
      StringBuilder text =
          new StringBuilder(
              "a %s reader of %s sees %s, not %s"
                  .formatted(Isolation.name(isolation), reading.partition(), actual, expected));
      differences(expected, actual).forEach(line -> text.append("\n  ").append(line));
      return text.append('\n').append(LogTable.of(reading, isolation).text()).toString();
    }

    private List<String> differences(List<String> expected, List<String> actual) {
      Map<String, Integer> counts = new LinkedHashMap<>();
      expected.forEach(it -> counts.merge(it, 1, Integer::sum));
      actual.forEach(it -> counts.merge(it, -1, Integer::sum));
      List<String> lines = new ArrayList<>();
      counts.forEach(
          (value, count) -> {
            if (count > 0) {
              lines.add("missing " + value + ": " + whyMissing(value));
            } else if (count < 0) {
              lines.add("unexpected " + value + ": " + whereSeen(value));
            }
          });
      if (lines.isEmpty()) {
        lines.add("the same values in another order");
      }
      return lines;
    }

    private String whyMissing(String value) {
      StringJoiner why = new StringJoiner("; ");
      for (LogRow row : reading.rows()) {
        if (!row.value().equals(value) || row.state() == LogRow.State.MARKER) {
          continue;
        }
        if (isolation == IsolationLevel.READ_COMMITTED
            && row.offset() >= reading.lastStableOffset()) {
          why.add(
              "at offset %d, %s, and not below the LSO %d"
                  .formatted(row.offset(), row.state().label(), reading.lastStableOffset()));
        } else {
          why.add("at offset %d, %s".formatted(row.offset(), row.state().label()));
        }
      }
      return why.length() == 0 ? "not in the log" : why.toString();
    }

    private String whereSeen(String value) {
      StringJoiner where = new StringJoiner("; ");
      for (LogRow row : reading.rows()) {
        if (row.value().equals(value) && row.state() != LogRow.State.MARKER) {
          where.add("at offset %d, %s".formatted(row.offset(), row.state().label()));
        }
      }
      return where.toString();
    }
  }
}
