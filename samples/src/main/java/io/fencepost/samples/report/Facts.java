package io.fencepost.samples.report;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;

/** Named figures in an order, for a table or for JSON. Not thread safe. */
public final class Facts {
  private final Map<String, Object> values = new LinkedHashMap<>();

  /** Adds a count. */
  public Facts add(String label, long count) {
    values.put(label, count);
    return this;
  }

  /** Adds a text. */
  public Facts add(String label, String text) {
    values.put(label, text);
    return this;
  }

  /** Adds an amount of money; JSON carries it as a string, so that nobody reads it as a double. */
  public Facts add(String label, BigDecimal amount) {
    values.put(label, amount);
    return this;
  }

  /** The figures under JSON names. */
  public Map<String, Object> toObject() {
    Map<String, Object> object = new LinkedHashMap<>();
    values.forEach(
        (label, value) ->
            object.put(
                Json.name(label),
                value instanceof BigDecimal amount ? amount.toPlainString() : value));
    return object;
  }

  /** The figures as a table of two columns. */
  @Override
  public String toString() {
    int width =
        values.keySet().stream().mapToInt(String::length).reduce("METRIC".length(), Math::max);
    StringBuilder text = new StringBuilder();
    line(text, width, "METRIC", "VALUE");
    values.forEach((label, value) -> line(text, width, label, shown(value)));
    return text.toString();
  }

  private static String shown(Object value) {
    if (value instanceof Long count) {
      return "%,d".formatted(count);
    }
    return value instanceof BigDecimal amount ? "%,.2f".formatted(amount) : value.toString();
  }

  private static void line(StringBuilder text, int width, String label, String value) {
    text.append(label).append(" ".repeat(Math.max(0, width - label.length()) + 2));
    text.append(value).append('\n');
  }
}
