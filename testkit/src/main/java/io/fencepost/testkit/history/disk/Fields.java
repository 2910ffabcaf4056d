package io.fencepost.testkit.history.disk;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Content;
import io.fencepost.txn.txn.ProducerIdentity;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one line, as types. One object reads all lines of a file, one after the other:
 * equal texts, partitions, producers and lists of all of them are kept once.
 */
final class Fields {
  private final Map<Object, Object> kept = new HashMap<>();
  private @Nullable String[] names = new @Nullable String[16];
  private @Nullable Object[] values = new @Nullable Object[16];
  private int count;

  /** Takes the fields of the object that begins here; of a name that comes twice, the last one. */
  void read(JsonParser json) throws IOException {
    count = 0;
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      json.nextToken();
      put(name, value(json));
    }
  }

  private void put(String name, @Nullable Object value) {
    int place = place(name);
    if (place < 0) {
      if (count == names.length) {
        names = Arrays.copyOf(names, count * 2);
        values = Arrays.copyOf(values, count * 2);
      }
      place = count++;
    }
    names[place] = name;
    values[place] = value;
  }

  private int place(String name) {
    for (int i = 0; i < count; i++) {
      if (name.equals(names[i])) {
        return i;
      }
    }
    return -1;
  }

  private @Nullable Object value(String name) {
    int place = place(name);
    return place < 0 ? null : values[place];
  }

  private static @Nullable Object value(JsonParser json) throws IOException {
    return switch (json.currentToken()) {
      case START_OBJECT -> object(json);
      case START_ARRAY -> {
        List<@Nullable Object> list = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          list.add(value(json));
        }
        yield list;
      }
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      case VALUE_NUMBER_INT ->
          json.getNumberType() == JsonParser.NumberType.BIG_INTEGER
              ? json.getBigIntegerValue()
              : (Object) json.getLongValue();
      case VALUE_NUMBER_FLOAT -> json.getDecimalValue();
      default -> json.getText();
    };
  }

  private static Map<String, @Nullable Object> object(JsonParser json) throws IOException {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      json.nextToken();
      object.put(name, value(json));
    }
    return object;
  }

  /** What equals it and came first. */
  @SuppressWarnings("unchecked") // What equals a text is a text, and so on.
  private <T> T once(T one) {
    Object before = kept.putIfAbsent(one, one);
    return before == null ? one : (T) before;
  }

  boolean has(String name) {
    return value(name) != null;
  }

  /** Whether it is this text. */
  boolean says(String name, String text) {
    return text.equals(value(name));
  }

  String text(String name) throws LineException {
    Object value = required(name);
    if (value instanceof String text) {
      return once(text);
    }
    throw wrong(name, "a text", value);
  }

  long number(String name, long min, long max) throws LineException {
    Object value = required(name);
    if (value instanceof Long number && number >= min && number <= max) {
      return number;
    }
    throw wrong(name, "a whole number from %d to %d".formatted(min, max), value);
  }

  /** When it was seen, for people: {@code otherwise} if that is not told in milliseconds. */
  long timeMs(String name, long otherwise) {
    return value(name) instanceof Long number && number >= 0 ? number : otherwise;
  }

  boolean flag(String name) throws LineException {
    Object value = required(name);
    if (value instanceof Boolean flag) {
      return flag;
    }
    throw wrong(name, "true or false", value);
  }

  /** What a record says of itself; each field may be left out. */
  Content content() throws LineException {
    if (!has("key") && !has("origin") && !has("amount")) {
      return Content.NONE;
    }
    return new Content(said("key"), said("origin"), amount());
  }

  private String said(String name) throws LineException {
    return has(name) ? text(name) : "";
  }

  private String amount() throws LineException {
    Object value = value("amount");
    if (value == null) {
      return "";
    }
    BigDecimal amount = Content.amount(String.valueOf(value));
    if (amount == null) {
      throw wrong("amount", "a decimal number of at most 100 digits", value);
    }
    return once(amount.toPlainString());
  }

  TopicPartition partition() throws LineException {
    int number = (int) number("partition", 0, Integer.MAX_VALUE);
    return once(new TopicPartition(text("topic"), number));
  }

  ProducerIdentity producer() throws LineException {
    return once(
        new ProducerIdentity(
            number("producer_id", -1, Long.MAX_VALUE),
            (short) number("producer_epoch", -1, Short.MAX_VALUE)));
  }

  /** One of these constants, by what is written for it. */
  Object constant(String name, Map<String, Object> constants) throws LineException {
    Object value = required(name);
    Object constant = constants.get(String.valueOf(value));
    if (constant == null) {
      throw wrong(name, "one of " + String.join(", ", constants.keySet()), value);
    }
    return constant;
  }

  SortedSet<String> texts(String name) throws LineException {
    TreeSet<String> texts = new TreeSet<>();
    for (Object element : list(name)) {
      if (!(element instanceof String text)) {
        throw wrong(name, "a list of texts", element);
      }
      texts.add(once(text));
    }
    return once(texts);
  }

  SortedSet<TopicPartition> partitions(String name) throws LineException {
    TreeSet<TopicPartition> partitions = new TreeSet<>();
    for (Object element : list(name)) {
      if (!(element instanceof Map<?, ?> map)
          || !(map.get("topic") instanceof String topic)
          || !(map.get("partition") instanceof Long number)
          || number < 0
          || number > Integer.MAX_VALUE) {
        throw wrong(name, "a list of {\"topic\": TEXT, \"partition\": NUMBER}", element);
      }
      partitions.add(once(new TopicPartition(once(topic), number.intValue())));
    }
    return once(partitions);
  }

  private Collection<?> list(String name) throws LineException {
    Object value = required(name);
    if (value instanceof Collection<?> list) {
      return list;
    }
    throw wrong(name, "a list", value);
  }

  private Object required(String name) throws LineException {
    Object value = value(name);
    if (value == null) {
      throw new LineException("'%s' is missing".formatted(name), true);
    }
    return value;
  }

  LineException wrong(String name, String expected, @Nullable Object found) {
    return new LineException("'%s' is %s, not %s".formatted(name, expected, shown(found)), true);
  }

  private static String shown(@Nullable Object found) {
    String raw = found instanceof String ? "\"" + found + "\"" : String.valueOf(found);
    String text = HistoryLines.printable(raw);
    return text.length() > 60 ? text.substring(0, 60) + "..." : text;
  }
}
