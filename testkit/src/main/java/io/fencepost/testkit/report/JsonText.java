package io.fencepost.testkit.report;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Maps, lists, texts and numbers as JSON that may stand in a script element of a page: no text in
 * it can end the element.
 */
final class JsonText {
  private final StringBuilder out = new StringBuilder();

  private JsonText() {}

  static String of(Map<String, ?> object) {
    JsonText text = new JsonText();
    text.write(object);
    return text.out.toString();
  }

  private void write(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      out.append('{');
      String comma = "";
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        out.append(comma);
        string(String.valueOf(entry.getKey()));
        out.append(':');
        write(entry.getValue());
        comma = ",";
      }
      out.append('}');
    } else if (value instanceof List<?> list) {
      out.append('[');
      String comma = "";
      for (Object element : list) {
        out.append(comma);
        write(element);
        comma = ",";
      }
      out.append(']');
    } else if (value instanceof long[] numbers) {
      out.append('[');
      for (int i = 0; i < numbers.length; i++) {
        out.append(i == 0 ? "" : ",").append(numbers[i]);
      }
      out.append(']');
    } else if (value == null || value instanceof Boolean || value instanceof Number) {
      out.append(value);
    } else {
      string(value.toString());
    }
  }

  private void string(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || c == '<' || c == '>' || c == '&' || (c >= '\u007f' && isOdd(c))) {
        out.append("\\u%04x".formatted((int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }

  /** Controls, line ends of scripts, marks that turn the direction, halves of pairs. */
  private static boolean isOdd(char c) {
    return c <= '\u009f'
        || (c >= '\u2028' && c <= '\u202e')
        || (c >= '\u2066' && c <= '\u2069')
        || Character.isSurrogate(c);
  }
}
