package io.fencepost.samples.payment;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Makes records of lines: drops a byte order mark and empty lines, and puts the lines of a quoted
 * field together. A quote that is not closed within {@value #MAX_LINES} lines costs its own line
 * only, not the rest of the file. Not thread safe.
 */
final class CsvRecords implements Iterator<CsvRecords.Numbered> {
  static final int MAX_LINES = 16;

  /** A record and the number of its first line, from 1. */
  record Numbered(long line, String text) {}

  private final Iterator<String> source;
  private final Deque<Numbered> ahead = new ArrayDeque<>();
  private long lineCount;

  CsvRecords(Iterator<String> lines) {
    this.source = lines;
  }

  @Override
  public boolean hasNext() {
    Numbered line = nextLine();
    while (line != null && line.text().isEmpty()) {
      line = nextLine();
    }
    if (line != null) {
      ahead.addFirst(line);
    }
    return line != null;
  }

  @Override
  public Numbered next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    Numbered first = ahead.removeFirst();
    return CsvRow.endsInsideQuotes(first.text()) ? joined(first) : first;
  }

  private Numbered joined(Numbered first) {
    StringBuilder record = new StringBuilder(first.text());
    Deque<Numbered> taken = new ArrayDeque<>();
    while (taken.size() + 1 < MAX_LINES) {
      Numbered more = nextLine();
      if (more == null) {
        break;
      }
      taken.addLast(more);
      record.append('\n').append(more.text());
      if (!CsvRow.endsInsideQuotes(record)) {
        if (CsvRow.split(record.toString()).problem() == null) {
          return new Numbered(first.line(), record.toString());
        }
        break;
      }
    }
    while (!taken.isEmpty()) {
      ahead.addFirst(taken.removeLast());
    }
    return first;
  }

  private @Nullable Numbered nextLine() {
    if (!ahead.isEmpty()) {
      return ahead.removeFirst();
    }
    if (!source.hasNext()) {
      return null;
    }
    String text = source.next();
    lineCount++;
    boolean marked = lineCount == 1 && !text.isEmpty() && text.charAt(0) == '\uFEFF';
    return new Numbered(lineCount, marked ? text.substring(1) : text);
  }
}
