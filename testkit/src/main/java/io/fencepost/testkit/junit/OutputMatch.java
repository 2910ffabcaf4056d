package io.fencepost.testkit.junit;

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

  private OutputMatch() {}

  private static final class Count {
    private final String text;
    private int expected;
    private final List<String> places = new ArrayList<>();

    private Count(String text) {
      this.text = text;
    }
  }

  /** None if they match; P1 for what is missing or unexpected, P4 for what is there too often. */
  static List<String> findings(
      ExactlyOnce.Expected expected, List<ConsumerRecord<byte[], byte[]>> found) {
    Map<ByteBuffer, Count> counts = new LinkedHashMap<>();
    for (KeyValue<byte[], byte[]> record : expected.records()) {
      count(counts, expected, record.key(), record.value()).expected++;
    }
    for (ConsumerRecord<byte[], byte[]> record : found) {
      count(counts, expected, record.key(), record.value())
          .places
          .add(record.topic() + "-" + record.partition() + "@" + record.offset());
    }
    List<String> missing = new ArrayList<>();
    List<String> unexpected = new ArrayList<>();
    List<String> repeated = new ArrayList<>();
    for (Count count : counts.values()) {
      int times = count.places.size();
      if (times < count.expected) {
        missing.add(
            count.expected == 1
                ? count.text
                : "%s: %d of %d".formatted(count.text, count.expected - times, count.expected));
      } else if (count.expected == 0) {
        unexpected.add(count.text + " at " + String.join(", ", count.places));
      } else if (times > count.expected) {
        repeated.add(
            "%s: %d instead of %d, at %s"
                .formatted(count.text, times, count.expected, String.join(", ", count.places)));
      }
    }
    List<String> findings = new ArrayList<>();
    add(findings, "P1 missing in " + expected.topic(), missing);
    add(findings, "P1 not expected in " + expected.topic(), unexpected);
    add(findings, "P4 too often in " + expected.topic(), repeated);
    return findings;
  }

  private static Count count(
      Map<ByteBuffer, Count> counts,
      ExactlyOnce.Expected expected,
      byte @Nullable [] key,
      byte @Nullable [] value) {
    return counts.computeIfAbsent(
        ExactlyOnceRun.comparable(key, value), it -> new Count(expected.text(key, value)));
  }

  private static void add(List<String> findings, String what, List<String> records) {
    if (records.isEmpty()) {
      return;
    }
    StringJoiner text = new StringJoiner("\n  ");
    text.add(what + ": " + records.size() + (records.size() == 1 ? " record" : " records"));
    records.stream().limit(SHOWN).forEach(text::add);
    if (records.size() > SHOWN) {
      text.add("and " + (records.size() - SHOWN) + " more");
    }
    findings.add(text.toString());
  }
}
