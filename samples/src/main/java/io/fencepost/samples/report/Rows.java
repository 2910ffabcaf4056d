package io.fencepost.samples.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rows of values under headings, for a table or for JSON. Not thread safe. */
public final class Rows {
  private final String[] headings;
  private final List<@Nullable Object[]> rows = new ArrayList<>();

  /** No rows yet. */
  public Rows(String... headings) {
    this.headings = headings.clone();
  }

  /** Adds a row: texts, numbers, and null for what is not known. */
  public Rows row(@Nullable Object... values) {
    if (values.length != headings.length) {
      throw new IllegalArgumentException(values.length + " values under " + headings.length);
    }
    rows.add(values.clone());
    return this;
  }

  /** Whether there is no row. */
  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /** The rows as objects named by the headings. */
  public List<Map<String, Object>> toObjects() {
    List<Map<String, Object>> objects = new ArrayList<>();
    for (@Nullable Object[] row : rows) {
      Map<String, Object> object = new LinkedHashMap<>();
      for (int i = 0; i < headings.length; i++) {
        object.put(Json.name(headings[i]), row[i]);
      }
      objects.add(object);
    }
    return objects;
  }

  /** The table; what is not known is a dash. */
  @Override
  public String toString() {
    Table table = new Table(headings);
    for (@Nullable Object[] row : rows) {
      table.row(
          Arrays.stream(row)
              .map(value -> value == null ? "-" : String.valueOf(value))
              .toArray(String[]::new));
    }
    return table.toString();
  }
}
