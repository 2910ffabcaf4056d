package io.fencepost.samples.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A table of text. Cells that look like figures stand to the right. Not thread safe. */
public final class Table {
  private final List<String> headings;
  private final List<List<String>> rows = new ArrayList<>();

  /** An empty table with these headings. */
  public Table(String... headings) {
    this.headings = List.of(headings);
  }

  /** Adds a row; it has as many cells as there are headings. */
  public Table row(String... cells) {
    if (cells.length != headings.size()) {
      throw new IllegalArgumentException(cells.length + " cells under " + headings);
    }
    rows.add(List.of(cells));
    return this;
  }

  /** The rows as objects named by the headings, for JSON. */
  public List<Map<String, String>> toObjects() {
    List<Map<String, String>> objects = new ArrayList<>();
    for (List<String> row : rows) {
      Map<String, String> object = new LinkedHashMap<>();
      for (int i = 0; i < row.size(); i++) {
        object.put(Json.name(headings.get(i)), row.get(i));
      }
      objects.add(object);
    }
    return objects;
  }

  /** The table, one line a row, each with a line break. */
  @Override
  public String toString() {
    int[] widths = new int[headings.size()];
    boolean[] right = new boolean[headings.size()];
    Arrays.fill(right, !rows.isEmpty());
    for (int column = 0; column < widths.length; column++) {
      widths[column] = headings.get(column).length();
      for (List<String> row : rows) {
        widths[column] = Math.max(widths[column], row.get(column).length());
        right[column] &= isFigure(row.get(column));
      }
    }
    StringBuilder text = new StringBuilder();
    line(text, headings, widths, right);
    for (List<String> row : rows) {
      line(text, row, widths, right);
    }
    return text.toString();
  }

  private static void line(StringBuilder text, List<String> cells, int[] widths, boolean[] right) {
    int start = text.length();
    for (int column = 0; column < widths.length; column++) {
      String pad = " ".repeat(widths[column] - cells.get(column).length());
      text.append(column == 0 ? "" : "  ");
      text.append(right[column] ? pad + cells.get(column) : cells.get(column) + pad);
    }
    int end = text.length();
    while (end > start && text.charAt(end - 1) == ' ') {
      end--;
    }
    text.setLength(end);
    text.append('\n');
  }

  private static boolean isFigure(String cell) {
    for (int i = 0; i < cell.length(); i++) {
      if ("0123456789,.-+ %".indexOf(cell.charAt(i)) < 0) {
        return false;
      }
    }
    return true;
  }
}
