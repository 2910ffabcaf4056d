package io.fencepost.testkit.history.disk;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Content;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The fields of one line, as types; equal texts and partitions of a file are kept once. */
final class Fields {
  /** Of a whole file. */
  static final class Pool {
    private final Map<String, String> texts = new HashMap<>();
    private final Map<TopicPartition, TopicPartition> partitions = new HashMap<>();

    private String text(String text) {
      String before = texts.putIfAbsent(text, text);
      return before == null ? text : before;
    }

    private TopicPartition partition(String topic, int number) {
      TopicPartition partition = new TopicPartition(text(topic), number);
      TopicPartition before = partitions.putIfAbsent(partition, partition);
      return before == null ? partition : before;
    }
  }

  private final Map<String, @Nullable Object> values;
  private final Pool pool;

  Fields(Map<String, @Nullable Object> values, Pool pool) {
    this.values = values;
    this.pool = pool;
  }

  boolean has(String name) {
    return values.get(name) != null;
  }

  String text(String name) throws LineException {
    Object value = required(name);
    if (value instanceof String text) {
      return pool.text(text);
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
    Object value = values.get("amount");
    if (value == null) {
      return "";
    }
    try {
      return new BigDecimal(String.valueOf(value)).toPlainString();
    } catch (NumberFormatException e) {
      throw wrong("amount", "a decimal number", value);
    }
  }

  TopicPartition partition() throws LineException {
    return pool.partition(text("topic"), (int) number("partition", 0, Integer.MAX_VALUE));
  }

  /** One of these constants, by what is written for it. */
  Object constant(String name, Map<String, Object> constants) throws LineException {
    String text = text(name);
    Object constant = constants.get(text);
    if (constant == null) {
      throw wrong(name, "one of " + String.join(", ", constants.keySet()), text);
    }
    return constant;
  }

  SortedSet<String> texts(String name) throws LineException {
    TreeSet<String> texts = new TreeSet<>();
    for (Object element : list(name)) {
      if (!(element instanceof String text)) {
        throw wrong(name, "a list of texts", element);
      }
      texts.add(pool.text(text));
    }
    return texts;
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
      partitions.add(pool.partition(topic, number.intValue()));
    }
    return partitions;
  }

  private Collection<?> list(String name) throws LineException {
    Object value = required(name);
    if (value instanceof Collection<?> list) {
      return list;
    }
    throw wrong(name, "a list", value);
  }

  private Object required(String name) throws LineException {
    Object value = values.get(name);
    if (value == null) {
      throw new LineException("'%s' is missing".formatted(name), true);
    }
    return value;
  }

  LineException wrong(String name, String expected, @Nullable Object found) {
    return new LineException("'%s' is %s, not %s".formatted(name, expected, shown(found)), true);
  }

  private static String shown(@Nullable Object found) {
    String text = found instanceof String ? "\"" + found + "\"" : String.valueOf(found);
    return text.length() > 60 ? text.substring(0, 60) + "..." : text;
  }
}
