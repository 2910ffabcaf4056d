package io.fencepost.testkit.junit;

import io.fencepost.testkit.prove.main.Topics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * How the records of a run are told in its history, where each has a text of its own: by what is in
 * it and, if there are to be several of these, by where it stands. Immutable.
 */
final class RecordTexts {
  private final TreeMap<String, TopicContent> contents = new TreeMap<>();
  private final Map<String, Integer> counts = new HashMap<>();

  RecordTexts(List<TopicContent> inputs, List<TopicContent> outputs) {
    List.of(inputs, outputs).forEach(side -> side.forEach(this::add));
  }

  private void add(TopicContent content) {
    contents.putIfAbsent(content.topic(), content);
    content
        .records()
        .forEach(it -> counts.merge(content.text(it.key(), it.value()), 1, Integer::sum));
  }

  Topics.Line line(ConsumerRecord<byte[], byte[]> record) {
    return line(record.topic(), record.partition(), record.offset(), record.key(), record.value());
  }

  Topics.Line line(
      String topic, int partition, long offset, byte @Nullable [] key, byte @Nullable [] value) {
    TopicContent content = contents.get(topic);
    String keyText = content == null ? Records.text(key) : content.key(key);
    String valueText = content == null ? Records.text(value) : content.value(value);
    String text = keyText.isEmpty() ? valueText : keyText + "=" + valueText;
    boolean isOne = counts.getOrDefault(text, 0) <= 1;
    String place = topic + "-" + partition;
    return new Topics.Line(
        place,
        topic,
        offset,
        keyText,
        isOne ? valueText : valueText + " at " + place + "@" + offset);
  }
}
