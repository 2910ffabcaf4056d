package io.fencepost.samples.payment;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One CSV row, split and joined by RFC 4180. It works on a single row and answers a reason instead
 * of throwing, because a bad row has to become a dead letter with that reason while the rest of its
 * file goes on: the libraries that were looked at take a stray quote for text, or swallow the rows
 * up to the next quote.
 */
public final class CsvRow {
  private CsvRow() {}

  /** The fields of a row, or what is wrong with its quoting. */
  public record Split(List<String> fields, @Nullable String problem) {
    static Split broken(String problem) {
      return new Split(List.of(), problem);
    }
  }

  /** Splits {@code row}; line breaks inside quotes belong to their field. */
  public static Split split(String row) {
    List<String> fields = new ArrayList<>(6);
    int at = 0;
    while (true) {
      int end;
      if (at < row.length() && row.charAt(at) == '"') {
        StringBuilder field = new StringBuilder();
        end = quoted(row, at, field);
        if (end < 0) {
          return Split.broken("the quote at character " + (at + 1) + " is never closed");
        }
        if (end < row.length() && row.charAt(end) != ',') {
          return Split.broken("text after the closing quote at character " + end);
        }
        fields.add(field.toString());
      } else {
        int comma = row.indexOf(',', at);
        end = comma < 0 ? row.length() : comma;
        int quote = row.indexOf('"', at);
        if (quote >= 0 && quote < end) {
          return Split.broken("a quote inside an unquoted field at character " + (quote + 1));
        }
        fields.add(row.substring(at, end));
      }
      if (end == row.length()) {
        return new Split(fields, null);
      }
      at = end + 1;
    }
  }

  /** Joins fields into a row and quotes those that need it. */
  public static String join(List<String> fields) {
    StringBuilder row = new StringBuilder();
    for (int i = 0; i < fields.size(); i++) {
      String field = fields.get(i);
      if (i > 0) {
        row.append(',');
      }
      row.append(needsQuotes(field) ? '"' + field.replace("\"", "\"\"") + '"' : field);
    }
    return row.toString();
  }

  /** Whether a quote that was opened in {@code text} is still open at its end. */
  static boolean endsInsideQuotes(CharSequence text) {
    return text.chars().filter(c -> c == '"').count() % 2 != 0;
  }

  private static boolean needsQuotes(String field) {
    return field.indexOf(',') >= 0
        || field.indexOf('"') >= 0
        || field.indexOf('\n') >= 0
        || field.indexOf('\r') >= 0;
  }

  /** Reads the quoted field that opens at {@code open}; answers the position after it, or -1. */
  private static int quoted(String row, int open, StringBuilder into) {
    int at = open + 1;
    while (true) {
      int quote = row.indexOf('"', at);
      if (quote < 0) {
        return -1;
      }
      into.append(row, at, quote);
      if (quote + 1 < row.length() && row.charAt(quote + 1) == '"') {
        into.append('"');
        at = quote + 2;
      } else {
        return quote + 1;
      }
    }
  }
}
