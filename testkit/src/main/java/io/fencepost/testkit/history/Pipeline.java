package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.OffsetSeen;
import io.fencepost.testkit.history.Event.Read;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What the deduplicating job was given, up to its committed offsets, and what it made of it. */
public final class Pipeline {
  /** Where payments come in. */
  public static final String INPUT = "payments";

  /** Where each payment goes the first time. */
  public static final String ACCEPTED = "accepted";

  /** Where it goes again. */
  public static final String DUPLICATES = "duplicates";

  /** The job's group. */
  public static final String GROUP = "tellers";

  private static final List<String> TOPICS = List.of(INPUT, ACCEPTED, DUPLICATES);

  private final TreeMap<TopicPartition, TreeMap<Long, Entry>> logs = new TreeMap<>();
  private final TreeMap<TopicPartition, OffsetSeen> committed = new TreeMap<>();
  private final LinkedHashMap<String, List<Entry>> outputs = new LinkedHashMap<>();
  private @Nullable Read stranger;

  /** A committed record, and the payment in it. */
  record Entry(Read read, Posting posting) {
    boolean isCopyOf(Entry input, String topic) {
      return read.partition().topic().equals(topic)
          && posting.key().equals(input.posting.key())
          && posting.amount().toPlainString().equals(input.posting.amount().toPlainString());
    }

    /** How its outputs name it. */
    String place() {
      return read.partition().partition() + "@" + read.offset();
    }
  }

  private Pipeline() {}

  static Pipeline of(History history) {
    Pipeline pipeline = new Pipeline();
    for (Event event : history.events()) {
      if (event instanceof Read it
          && it.isolation() == Isolation.READ_COMMITTED
          && TOPICS.contains(it.partition().topic())) {
        pipeline.read(it);
      } else if (event instanceof OffsetSeen it
          && it.group().equals(GROUP)
          && it.partition().topic().equals(INPUT)) {
        pipeline.committed.put(it.partition(), it);
      }
    }
    for (String topic : List.of(ACCEPTED, DUPLICATES)) {
      for (Entry entry : pipeline.output(topic)) {
        pipeline
            .outputs
            .computeIfAbsent(entry.posting().origin(), o -> new ArrayList<>(1))
            .add(entry);
      }
    }
    return pipeline;
  }

  private void read(Read read) {
    TreeMap<Long, Entry> log = logs.computeIfAbsent(read.partition(), p -> new TreeMap<>());
    if (log.containsKey(read.offset())) {
      return;
    }
    try {
      log.put(read.offset(), new Entry(read, Posting.parse(read.value())));
    } catch (IllegalArgumentException malformed) {
      stranger = stranger == null ? read : stranger;
    }
  }

  /** A record of these topics that holds no payment; null if all do. */
  @Nullable Read stranger() {
    return stranger;
  }

  /** The verdict if there is a stranger. */
  Verdict noPosting() {
    return new Verdict.Unknown(
        "the records of %s are payments as the deduplicating job has them, and this is none: %s"
            .formatted(TOPICS, stranger));
  }

  /** The committed input of each partition, in order, up to the committed offset. */
  TreeMap<TopicPartition, SortedMap<Long, Entry>> input() {
    TreeMap<TopicPartition, SortedMap<Long, Entry>> input = new TreeMap<>();
    committed.forEach(
        (partition, seen) ->
            input.put(
                partition, logs.getOrDefault(partition, new TreeMap<>()).headMap(seen.offset())));
    return input;
  }

  /** What told the committed offset of an input partition last. */
  Event committed(TopicPartition partition) {
    return Objects.requireNonNull(committed.get(partition));
  }

  /** All committed records of a topic. */
  List<Entry> output(String topic) {
    List<Entry> all = new ArrayList<>();
    logs.forEach(
        (partition, log) -> {
          if (partition.topic().equals(topic)) {
            all.addAll(log.values());
          }
        });
    return all;
  }

  /** What the job made of an input record. */
  List<Entry> madeOf(Entry input) {
    return outputs.getOrDefault(input.place(), List.of());
  }

  /** The first input record without exactly one output, or output without input; null if none. */
  @Nullable Verdict mismatch() {
    TreeSet<String> places = new TreeSet<>();
    for (SortedMap<Long, Entry> log : input().values()) {
      for (Entry entry : log.values()) {
        List<Entry> made = madeOf(entry);
        places.add(entry.place());
        if (made.isEmpty()) {
          return Verdict.unfinished(
              "nothing was made of it, and its offset is committed",
              entry.read(),
              committed(entry.read().partition()));
        }
        if (made.size() > 1) {
          return Verdict.broken(
              "two were made of " + entry.place(), made.get(0).read(), made.get(1).read());
        }
      }
    }
    for (Map.Entry<String, List<Entry>> made : outputs.entrySet()) {
      if (!places.contains(made.getKey())) {
        return Verdict.unfinished(
            "it was made of input %s, whose offset is not committed".formatted(made.getKey()),
            made.getValue().get(0).read());
      }
    }
    return null;
  }
}
