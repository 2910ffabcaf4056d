package io.fencepost.testkit.junit;

import io.fencepost.testkit.history.Event;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Compares the committed records of a topic with those expected, as multisets of bytes. */
final class OutputMatch {
  private static final int SHOWN = 5;
  private static final int EVENTS_SHOWN = 10;

  private OutputMatch() {}

  private static final class Count {
    private final String text;
    private int expected;
    private final List<String> places = new ArrayList<>();
    private final List<Event> events = new ArrayList<>();

    private Count(String text) {
      this.text = text;
    }
  }

  /**
   * None if they match; P1 for what is missing or unexpected, P4 for what is there too often.
   *
   * @param read tells of each record that was found, in their order
   */
  static List<Finding> findings(
      TopicContent expected, List<ConsumerRecord<byte[], byte[]>> found, List<Event> read) {
    Map<ByteBuffer, Count> counts = new LinkedHashMap<>();
    for (KeyValue<byte[], byte[]> record : expected.records()) {
      count(counts, expected, record.key(), record.value()).expected++;
    }
    for (int i = 0; i < found.size(); i++) {
      ConsumerRecord<byte[], byte[]> record = found.get(i);
      Count count = count(counts, expected, record.key(), record.value());
      count.places.add(record.topic() + "-" + record.partition() + "@" + record.offset());
      count.events.add(read.get(i));
    }
    List<String> missing = new ArrayList<>();
    List<String> unexpected = new ArrayList<>();
    List<String> repeated = new ArrayList<>();
    List<Event> aliens = new ArrayList<>();
    List<Event> doubles = new ArrayList<>();
    for (Count count : counts.values()) {
      int times = count.places.size();
      if (times < count.expected) {
        missing.add(
            count.expected == 1
                ? count.text
                : "%s: %d of %d".formatted(count.text, count.expected - times, count.expected));
      } else if (count.expected == 0) {
        unexpected.add(count.text + " at " + String.join(", ", count.places));
        aliens.addAll(count.events);
      } else if (times > count.expected) {
        doubles.addAll(count.events);
        repeated.add(
            "%s: %d instead of %d, at %s"
                .formatted(count.text, times, count.expected, String.join(", ", count.places)));
      }
    }
    List<Finding> findings = new ArrayList<>();
    add(findings, "P1", "missing in " + expected.topic(), missing, List.of());
    add(findings, "P1", "not expected in " + expected.topic(), unexpected, aliens);
    add(findings, "P4", "too often in " + expected.topic(), repeated, doubles);
    return findings;
  }

  private static Count count(
      Map<ByteBuffer, Count> counts,
      TopicContent expected,
      byte @Nullable [] key,
      byte @Nullable [] value) {
    return counts.computeIfAbsent(
        comparable(key, value), it -> new Count(expected.text(key, value)));
  }

  /** Bytes that are equal by what they hold. */
  static ByteBuffer comparable(byte @Nullable [] key, byte @Nullable [] value) {
    int keyLength = key == null ? 0 : key.length;
    int valueLength = value == null ? 0 : value.length;
    ByteBuffer bytes = ByteBuffer.allocate(keyLength + valueLength + 2 * Integer.BYTES);
    bytes.putInt(key == null ? -1 : keyLength);
    if (key != null) {
      bytes.put(key);
    }
    bytes.putInt(value == null ? -1 : valueLength);
    if (value != null) {
      bytes.put(value);
    }
    return bytes.flip();
  }

  private static void add(
      List<Finding> findings, String id, String what, List<String> records, List<Event> events) {
    if (records.isEmpty()) {
      return;
    }
    StringJoiner text = new StringJoiner("\n  ");
    text.add(what + ": " + records.size() + (records.size() == 1 ? " record" : " records"));
    records.stream().limit(SHOWN).forEach(text::add);
    if (records.size() > SHOWN) {
      text.add("and " + (records.size() - SHOWN) + " more");
    }
    List<Event> shown = events.subList(0, Math.min(EVENTS_SHOWN, events.size()));
    findings.add(new Finding(id, text.toString(), List.copyOf(shown)));
  }
}
