package io.fencepost.testkit.junit;

import io.fencepost.testkit.history.Content;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.prove.main.Topics;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What the records of a run are made of, as far as it is known by what is expected: by what is in
 * an output record. Of several input records of which the same is made it is any. Thread-safe.
 */
final class Origins {
  /** Of an output record that is not expected of any input record. */
  private static final String NOTHING = "nothing";

  private final List<Made> known = new ArrayList<>();
  private final TreeMap<String, Map<ByteBuffer, ArrayDeque<String>>> left = new TreeMap<>();
  private final TreeMap<String, TopicContent> amounts = new TreeMap<>();
  private final Map<String, Content> seen = new HashMap<>();

  /**
   * Knows what is made of topics that the job reads, of each record by itself.
   *
   * @param places of the records of each input, as in {@code orders-0@5}
   */
  Origins(List<Made> all, Map<TopicContent, List<String>> places) {
    TreeMap<String, Integer> inputs = new TreeMap<>();
    places.keySet().forEach(it -> inputs.merge(it.topic(), 1, Integer::sum));
    TreeMap<String, Integer> outputs = new TreeMap<>();
    all.forEach(it -> outputs.merge(it.output().topic(), 1, Integer::sum));
    for (Made made : all) {
      if (inputs.getOrDefault(made.input().topic(), 0) == 1
          && outputs.getOrDefault(made.output().topic(), 0) == 1
          && made.isOfSingles()) {
        known.add(made);
        left.put(
            made.output().topic(), origins(made, places.getOrDefault(made.input(), List.of())));
      }
    }
    TreeSet<String> others = new TreeSet<>();
    known.stream().filter(it -> !it.isOfAmounts()).forEach(it -> others.add(it.input().topic()));
    for (Made made : known) {
      if (!others.contains(made.input().topic())) {
        amounts.put(made.input().topic(), made.input());
        amounts.put(made.output().topic(), made.output());
      }
    }
  }

  private static Map<ByteBuffer, ArrayDeque<String>> origins(Made made, List<String> places) {
    Map<ByteBuffer, ArrayDeque<String>> origins = new HashMap<>();
    for (int i = 0; i < made.each().size(); i++) {
      List<KeyValue<byte[], byte[]>> some = made.each().get(i);
      for (int k = 0; k < some.size(); k++) {
        origins
            .computeIfAbsent(
                OutputMatch.comparable(some.get(k).key(), some.get(k).value()),
                it -> new ArrayDeque<>())
            .add(some.size() == 1 ? places.get(i) : places.get(i) + "#" + (k + 1));
      }
    }
    return origins;
  }

  /** What the job of that group is known to make of what. */
  List<Event.Flow> flows(String group) {
    return known.stream()
        .map(it -> new Event.Flow(group, it.input().topic(), it.output().topic(), it.takes()))
        .toList();
  }

  /** A record was read. */
  synchronized void see(ConsumerRecord<byte[], byte[]> record) {
    String place = record.topic() + "-" + record.partition() + "@" + record.offset();
    seen.computeIfAbsent(place, it -> new Content("", origin(record), amount(record)));
  }

  private String origin(ConsumerRecord<byte[], byte[]> record) {
    Map<ByteBuffer, ArrayDeque<String>> ofTopic = left.get(record.topic());
    if (ofTopic == null) {
      return "";
    }
    ArrayDeque<String> origins = ofTopic.get(OutputMatch.comparable(record.key(), record.value()));
    if (origins == null) {
      return NOTHING;
    }
    // What stands there too often is made of the last one again.
    return origins.size() > 1 ? origins.remove() : origins.element();
  }

  private String amount(ConsumerRecord<byte[], byte[]> record) {
    TopicContent content = amounts.get(record.topic());
    String text = content == null ? "" : content.value(record.value());
    return Content.amount(text) == null ? "" : text;
  }

  /** What is known of a record that was {@link #see seen}. */
  synchronized Content content(Topics.Line line) {
    return seen.getOrDefault(line.partition() + "@" + line.offset(), Content.NONE);
  }
}
