package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Passed;
import io.fencepost.testkit.history.Event.Read;
import io.fencepost.testkit.history.Event.Scanned;
import io.fencepost.testkit.history.Event.Started;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The committed records of some topics, as read_committed readers were handed them. */
final class CommittedLogs {
  private final TreeMap<TopicPartition, List<Read>> logs = new TreeMap<>();

  /** By topic: the last event of a reader of it, who may have been handed nothing. */
  private final TreeMap<String, Event> looks = new TreeMap<>();

  private CommittedLogs() {}

  static CommittedLogs of(History history, Collection<String> topics) {
    CommittedLogs committed = new CommittedLogs();
    TreeSet<String> wanted = new TreeSet<>(topics);
    for (Event event : history.events()) {
      if (event instanceof Read it
          && it.isolation() == Isolation.READ_COMMITTED
          && wanted.contains(it.partition().topic())) {
        committed.logs.computeIfAbsent(it.partition(), p -> new ArrayList<>()).add(it);
        committed.looks.put(it.partition().topic(), it);
      } else if (event instanceof Started it && it.isolation() == Isolation.READ_COMMITTED) {
        committed.looks.put(it.partition().topic(), it);
      } else if (event instanceof Passed it && it.isolation() == Isolation.READ_COMMITTED) {
        committed.looks.put(it.partition().topic(), it);
      } else if (event instanceof Scanned it && it.isolation() == Isolation.READ_COMMITTED) {
        committed.looks.put(it.partition().topic(), it);
      }
    }
    committed.logs.replaceAll((partition, reads) -> inOrder(reads));
    return committed;
  }

  /** By offset, each once: as it was read first. */
  private static List<Read> inOrder(List<Read> reads) {
    reads.sort(Comparator.comparingLong(Read::offset));
    List<Read> once = new ArrayList<>(reads.size());
    for (Read read : reads) {
      if (once.isEmpty() || once.get(once.size() - 1).offset() != read.offset()) {
        once.add(read);
      }
    }
    return once;
  }

  /** By which it is seen that the topic has a read_committed reader; null if it has none. */
  @Nullable Event lookAt(String topic) {
    return looks.get(topic);
  }

  /** By partition. */
  Collection<List<Read>> of(String topic) {
    return logs.subMap(
            new TopicPartition(topic, 0), true, new TopicPartition(topic, Integer.MAX_VALUE), true)
        .values();
  }

  /** In order of offsets. */
  List<Read> of(TopicPartition partition) {
    return logs.getOrDefault(partition, List.of());
  }
}
