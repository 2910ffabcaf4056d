package io.fencepost.testkit.history.disk;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.History;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A history that was read from JSON lines, and what could not be read. Unknown fields do not
 * matter, unknown events are counted, lines that are no events are told, and the rest is taken.
 *
 * @param unknownEvents how often each name came that no check knows
 * @param badLines the first of them, each with its number and what was expected
 * @param tornLine the number of a last line that was not written to its end; 0 if there is none
 */
public record HistoryFile(
    History history,
    long lineCount,
    SortedMap<String, Long> unknownEvents,
    List<BadLine> badLines,
    long badLineCount,
    long tornLine) {
  /** A line that is no event. */
  public record BadLine(long number, String expected) {}

  /** Longer lines are no events. */
  static final int LINE_BYTES_MAX = 4 << 20;

  private static final int TOLD_MAX = 20;

  /** Stands for all further names of events that no check knows. */
  private static final String OTHERS = "(others)";

  private static final int BUFFER_BYTES = 1 << 16;

  /**
   * Reads to the end.
   *
   * @throws IOException if the stream cannot be read, or is compressed
   */
  public static HistoryFile read(InputStream in) throws IOException {
    Reader reader = new Reader();
    byte[] buffer = new byte[BUFFER_BYTES];
    for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      if (reader.isAtStart()) {
        refuseCompressed(buffer, count);
      }
      reader.take(buffer, count);
    }
    return reader.finish();
  }

  private static void refuseCompressed(byte[] start, int count) throws IOException {
    boolean isGzip = count >= 2 && start[0] == 0x1f && start[1] == (byte) 0x8b;
    boolean isZstd = count >= 2 && start[0] == 0x28 && start[1] == (byte) 0xb5;
    if (isGzip || isZstd) {
      throw new IOException(
          "it is compressed: unpack it, as in '%s FILE | fencepost verify -'"
              .formatted(isGzip ? "gunzip -c" : "zstd -dc"));
    }
  }

  private static final class Reader {
    private final History history = new History();
    private final Fields fields = new Fields();
    private final TreeMap<String, Long> unknownEvents = new TreeMap<>();
    private final List<BadLine> badLines = new ArrayList<>();
    private byte[] line = new byte[1024];
    private int length;
    private boolean isTooLong;
    private long lineCount;
    private long badLineCount;
    private long tornLine;

    boolean isAtStart() {
      return lineCount == 0 && length == 0 && !isTooLong;
    }

    void take(byte[] buffer, int count) {
      int from = 0;
      for (int i = 0; i < count; i++) {
        if (buffer[i] == '\n') {
          append(buffer, from, i);
          end(true);
          from = i + 1;
        }
      }
      append(buffer, from, count);
    }

    private void append(byte[] buffer, int from, int to) {
      int wanted = length + to - from;
      if (wanted > LINE_BYTES_MAX) {
        isTooLong = true;
        return;
      }
      if (wanted > line.length) {
        line = Arrays.copyOf(line, Math.max(wanted, line.length * 2));
      }
      System.arraycopy(buffer, from, line, length, to - from);
      length = wanted;
    }

    private void end(boolean isWhole) {
      lineCount++;
      try {
        if (isTooLong) {
          throw new LineException("a line has at most 4 MiB", true);
        }
        if (!isBlank()) {
          parse();
        }
      } catch (LineException e) {
        if (isWhole || e.isJson()) {
          bad(String.valueOf(e.getMessage()));
        } else {
          tornLine = lineCount;
        }
      }
      length = 0;
      isTooLong = false;
    }

    private boolean isBlank() {
      for (int i = 0; i < length; i++) {
        if (line[i] != ' ' && line[i] != '\r' && line[i] != '\t') {
          return false;
        }
      }
      return true;
    }

    private void parse() throws LineException {
      HistoryLines.Parsed parsed = HistoryLines.parse(line, length, fields);
      Event event = parsed.event();
      if (event != null) {
        history.add(event, lineCount, parsed.atMs());
      } else if (parsed.unknownName() != null) {
        countUnknown(HistoryLines.printable(parsed.unknownName()));
      }
    }

    private void countUnknown(String name) {
      boolean isTold = unknownEvents.containsKey(name) || unknownEvents.size() < TOLD_MAX;
      unknownEvents.merge(isTold ? name : OTHERS, 1L, Long::sum);
    }

    private void bad(String expected) {
      badLineCount++;
      if (badLines.size() < TOLD_MAX) {
        badLines.add(new BadLine(lineCount, expected));
      }
      history.noteGap("line %d could not be read".formatted(lineCount));
    }

    HistoryFile finish() {
      if (length > 0 || isTooLong) {
        end(false);
      }
      return new HistoryFile(history, lineCount, unknownEvents, badLines, badLineCount, tornLine);
    }
  }
}
