package io.fencepost.samples.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.util.Locale;
import java.util.Map;

/** Results as one JSON object. */
public final class Json {
  private static final ObjectMapper LINES = new ObjectMapper();
  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private Json() {}

  /** The object as text, its fields in the order of the map. */
  public static String text(Map<String, ?> object) {
    return text(MAPPER, object);
  }

  /** The same in one line. */
  public static String line(Map<String, ?> object) {
    return text(LINES, object);
  }

  private static String text(ObjectMapper mapper, Map<String, ?> object) {
    try {
      return mapper.writeValueAsString(object);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not to be written as JSON: " + object, e);
    }
  }

  /** A label as a field name: {@code client SENT} is {@code client_sent}. */
  static String name(String label) {
    return label.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "_").replaceAll("^_|_$", "");
  }
}
