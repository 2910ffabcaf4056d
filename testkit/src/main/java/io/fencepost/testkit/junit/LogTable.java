package io.fencepost.testkit.junit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.IsolationLevel;
import org.jspecify.annotations.Nullable;

/** A log for people: one line per offset, in colour where there is a terminal. */
final class LogTable {
  private static final List<String> HEAD = List.of("OFFSET", "TRANSACTION", "VALUE", "STATE");
  private static final int MOST_ROWS = 200;

  private final LogReading reading;
  private final @Nullable IsolationLevel isolation;

  private LogTable(LogReading reading, @Nullable IsolationLevel isolation) {
    this.reading = reading;
    this.isolation = isolation;
  }

  /** With a column for what a reader of that isolation level does, if one is given. */
  static LogTable of(LogReading reading, @Nullable IsolationLevel isolation) {
    return new LogTable(reading, isolation);
  }

  /** In colour where {@link Terminal} says so. */
  String text() {
    return text(Terminal.isColoured());
  }

  String plainText() {
    return text(false);
  }

  String text(boolean coloured) {
    List<LogRow> rows = reading.rows();
    List<LogRow> shown = rows.subList(Math.max(0, rows.size() - MOST_ROWS), rows.size());
    List<List<String>> cells = new ArrayList<>();
    List<String> head = new ArrayList<>(HEAD);
    if (isolation != null) {
      head.add(Isolation.name(isolation).toUpperCase(Locale.ROOT));
    }
    cells.add(head);
    Set<Long> seen =
        isolation == null
            ? Set.of()
            : reading.seenAt(isolation).stream()
                .map(LogReading.SeenValue::offset)
                .collect(Collectors.toSet());
    for (LogRow row : shown) {
      cells.add(cells(row, seen));
    }
    int[] widths = widths(cells);
    StringBuilder text = new StringBuilder();
    text.append(reading.partition())
        .append(": LSO ")
        .append(reading.lastStableOffset())
        .append(", high watermark ")
        .append(reading.highWatermark());
    if (shown.size() < rows.size()) {
      text.append(", the last ").append(shown.size()).append(" of ").append(rows.size());
    }
    for (int i = 0; i < cells.size(); i++) {
      if (i > 0 && shown.get(i - 1).offset() == reading.lastStableOffset()) {
        text.append("\n").append("-".repeat(6)).append("  LSO: read_committed stops here");
      }
      String line = line(cells.get(i), widths);
      text.append('\n')
          .append(
              coloured ? (i == 0 ? Terminal.bold(line) : painted(shown.get(i - 1), line)) : line);
    }
    return text.toString();
  }

  private List<String> cells(LogRow row, Set<Long> seen) {
    List<String> cells = new ArrayList<>();
    cells.add(String.valueOf(row.offset()));
    cells.add(row.transaction() == null ? "-" : row.transaction());
    cells.add(row.value());
    cells.add(row.state().label());
    if (isolation != null) {
      cells.add(
          seen.contains(row.offset())
              ? "seen"
              : switch (row.state()) {
                case MARKER, GAP -> "no record";
                default -> row.offset() >= reading.lastStableOffset() ? "not yet" : "dropped";
              });
    }
    return cells;
  }

  private static int[] widths(List<List<String>> cells) {
    int[] widths = new int[cells.get(0).size()];
    for (List<String> row : cells) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return widths;
  }

  /** Offsets to the right, all else to the left. */
  private static String line(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.size(); i++) {
      String padding = " ".repeat(widths[i] - cells.get(i).length());
      line.append(i == 0 ? padding + cells.get(i) : "  " + cells.get(i) + padding);
    }
    return line.toString().stripTrailing();
  }

  private static String painted(LogRow row, String line) {
    return switch (row.state()) {
      case COMMITTED -> Terminal.green(line);
      case ABORTED -> Terminal.red(line);
      case OPEN, UNDECIDED -> Terminal.yellow(line);
      case MARKER, GAP -> Terminal.dim(line);
      case PLAIN -> line;
    };
  }
}
