package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Passed;
import io.fencepost.testkit.history.Event.Read;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which values each reader of one isolation level was handed, and how far each got. */
final class ReaderViews {
  private final Map<String, TreeSet<String>> valuesByReader = new LinkedHashMap<>();
  private final Map<String, TreeMap<TopicPartition, Long>> positions = new LinkedHashMap<>();

  private ReaderViews() {}

  static ReaderViews of(History history, Isolation isolation) {
    ReaderViews reads = new ReaderViews();
    for (Event event : history.events()) {
      if (event instanceof Read it && it.isolation() == isolation) {
        reads.valuesByReader.computeIfAbsent(it.reader(), r -> new TreeSet<>()).add(it.value());
      } else if (event instanceof Passed it && it.isolation() == isolation) {
        reads
            .positions
            .computeIfAbsent(it.reader(), r -> new TreeMap<>())
            .merge(it.partition(), it.position(), Math::max);
      }
    }
    return reads;
  }

  Iterable<String> readers() {
    return positions.keySet();
  }

  boolean saw(String reader, String value) {
    TreeSet<String> values = valuesByReader.get(reader);
    return values != null && values.contains(value);
  }

  /** True if the reader went past this offset, so that it saw what it was to see there. */
  boolean passed(String reader, TopicPartition partition, long offset) {
    TreeMap<TopicPartition, Long> byPartition = positions.get(reader);
    return byPartition != null && byPartition.getOrDefault(partition, 0L) > offset;
  }
}
