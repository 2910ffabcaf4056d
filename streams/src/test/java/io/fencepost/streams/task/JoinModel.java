package io.fencepost.streams.task;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What {@link JoinPropertyTest}'s job must put out for one partition number, with lists and loops:
 * takes one record after the other in the order of their turns.
 */
final class JoinModel {
  static final int BEFORE_MS = 20;
  static final int AFTER_MS = 35;
  static final int GRACE_MS = 15;

  /** How often each record of output is expected, as {@code topic key=value@time}. */
  final Map<String, Integer> output;

  private final List<List<ConsumerRecord<byte[], byte[]>>> logs = new ArrayList<>();
  private final List<String> topics = new ArrayList<>();
  private final int[] offsets;
  private final Map<String, String> rows = new TreeMap<>();
  private final Map<String, String> more = new TreeMap<>();
  private final List<Waiting> waiting = new ArrayList<>();
  private long eventTimeMs = Long.MIN_VALUE;

  private static final class Waiting {
    final boolean isLeft;
    final String key;
    final String value;
    final long timeMs;
    boolean isMatched;
    boolean isGone;

    Waiting(boolean isLeft, String key, String value, long timeMs) {
      this.isLeft = isLeft;
      this.key = key;
      this.value = value;
      this.timeMs = timeMs;
    }

    long closesMs() {
      return timeMs + (isLeft ? AFTER_MS : BEFORE_MS) + GRACE_MS;
    }
  }

  JoinModel(
      Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> input,
      int partition,
      Map<String, Integer> output) {
    this.output = output;
    for (String topic : List.of("more", "rows", "left", "right")) {
      topics.add(topic);
      logs.add(input.getOrDefault(new TopicPartition(topic, partition), List.of()));
    }
    this.offsets = new int[topics.size()];
  }

  int offset(String topic) {
    return offsets[topics.indexOf(topic)];
  }

  /** Takes the record whose turn it is: the oldest head, and of equal ones the first in line. */
  void step() {
    int turn = -1;
    for (int i = 0; i < logs.size(); i++) {
      if (offsets[i] < logs.get(i).size() && (turn < 0 || headMs(i) < headMs(turn))) {
        turn = i;
      }
    }
    ConsumerRecord<byte[], byte[]> record = logs.get(turn).get(offsets[turn]++);
    String key = text(record.key());
    String value = record.value() == null ? null : text(record.value());
    switch (topics.get(turn)) {
      case "rows" -> row(rows, key, value, record.timestamp());
      case "more" -> row(more, key, value, record.timestamp());
      case "left" -> {
        look(key, text(record.value()), record.timestamp());
        pair(new Waiting(true, key, text(record.value()), record.timestamp()));
      }
      default -> pair(new Waiting(false, key, text(record.value()), record.timestamp()));
    }
  }

  private long headMs(int log) {
    return logs.get(log).get(offsets[log]).timestamp();
  }

  private void expect(String topic, String key, @Nullable String value, long timeMs) {
    output.merge(topic + " " + key + "=" + value + "@" + timeMs, 1, Integer::sum);
  }

  // ---- tables

  private void row(Map<String, String> table, String key, @Nullable String value, long timeMs) {
    Map<String, String> before = derived(key);
    if (value == null) {
      table.remove(key);
    } else {
      table.put(key, value);
    }
    Map<String, String> after = derived(key);
    for (String name : List.of("inner", "left-rows", "outer", "kept", "few", "own")) {
      boolean isOfRows = name.equals("few") || name.equals("own");
      boolean isTouched = table == rows || !isOfRows;
      if (isTouched && (before.containsKey(name) || after.containsKey(name))) {
        expect(name, key, after.get(name), timeMs);
      }
    }
    if (table == rows && after.containsKey("own")) {
      // Both sides of this join changed, one after the other.
      expect("own", key, after.get("own"), timeMs);
    }
  }

  /** The row of a key in each table that is made of others. */
  private Map<String, String> derived(String key) {
    Map<String, String> derived = new TreeMap<>();
    String row = rows.get(key);
    String another = more.get(key);
    if (row != null && another != null) {
      derived.put("inner", row + "+" + another);
    }
    if (row != null) {
      derived.put("left-rows", row + "+" + another);
    }
    if (row != null || another != null) {
      derived.put("outer", row + "+" + another);
      derived.put("kept", row + "+" + another);
    }
    if (row != null && isFew(row)) {
      derived.put("few", "<" + row + ">");
      derived.put("own", row + "<" + row + ">");
    }
    return derived;
  }

  static boolean isFew(String row) {
    return row.hashCode() % 3 == 0;
  }

  private void look(String key, String value, long timeMs) {
    String row = rows.get(key);
    if (row != null) {
      expect("looked", key, value + "*" + row, timeMs);
    }
    expect("left-looked", key, value + "*" + row, timeMs);
  }

  // ---- flows

  private void pair(Waiting fresh) {
    eventTimeMs = Math.max(eventTimeMs, fresh.timeMs);
    if (fresh.closesMs() < eventTimeMs) {
      expect(fresh.isLeft ? "late" : "late-right", fresh.key, fresh.value, fresh.timeMs);
    } else {
      for (Waiting other : waiting) {
        if (isPair(fresh, other)) {
          other.isMatched = true;
          fresh.isMatched = true;
          expectPair(fresh, other);
        }
      }
      waiting.add(fresh);
    }
    for (Waiting old : waiting) {
      if (!old.isGone && old.closesMs() < eventTimeMs) {
        old.isGone = true;
        if (!old.isMatched) {
          expectAlone(old);
        }
      }
    }
  }

  private boolean isPair(Waiting fresh, Waiting other) {
    Waiting left = fresh.isLeft ? fresh : other;
    Waiting right = fresh.isLeft ? other : fresh;
    return left.isLeft != right.isLeft
        && left.key.equals(right.key)
        && left.timeMs - BEFORE_MS <= right.timeMs
        && right.timeMs <= left.timeMs + AFTER_MS
        && other.closesMs() >= eventTimeMs;
  }

  private void expectPair(Waiting fresh, Waiting other) {
    String left = fresh.isLeft ? fresh.value : other.value;
    String right = fresh.isLeft ? other.value : fresh.value;
    for (String topic : List.of("pairs", "left-pairs", "outer-pairs")) {
      expect(topic, fresh.key, left + "&" + right, Math.max(fresh.timeMs, other.timeMs));
    }
  }

  private void expectAlone(Waiting old) {
    String value = old.isLeft ? old.value + "&null" : "null&" + old.value;
    if (old.isLeft) {
      expect("left-pairs", old.key, value, old.timeMs);
    }
    if (isBad(old.value)) {
      output.merge("dead " + old.key, 1, Integer::sum);
    } else {
      expect("outer-pairs", old.key, value, old.timeMs);
    }
  }

  /** Values that the outer join's code cannot stand alone. */
  static boolean isBad(@Nullable String value) {
    return value != null && value.endsWith("7");
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
