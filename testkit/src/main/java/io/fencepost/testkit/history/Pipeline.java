package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.OffsetSeen;
import io.fencepost.testkit.history.Event.Read;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

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

  private final TreeMap<TopicPartition, TreeMap<Long, Posting>> logs = new TreeMap<>();
  private final TreeMap<TopicPartition, Long> committed = new TreeMap<>();

  private Pipeline() {}

  static Pipeline of(History history) {
    Pipeline pipeline = new Pipeline();
    for (Event event : history.events()) {
      if (event instanceof Read it && it.isolation() == Isolation.READ_COMMITTED) {
        pipeline
            .logs
            .computeIfAbsent(it.partition(), p -> new TreeMap<>())
            .computeIfAbsent(it.offset(), o -> Posting.parse(it.value()));
      } else if (event instanceof OffsetSeen it && it.group().equals(GROUP)) {
        pipeline.committed.put(it.partition(), it.offset());
      }
    }
    return pipeline;
  }

  /** The committed input of each partition, in order, up to the committed offset. */
  TreeMap<TopicPartition, TreeMap<Long, Posting>> input() {
    TreeMap<TopicPartition, TreeMap<Long, Posting>> input = new TreeMap<>();
    committed.forEach(
        (partition, offset) ->
            input.put(
                partition,
                new TreeMap<>(
                    logs.getOrDefault(partition, new TreeMap<>()).headMap(offset, false))));
    return input;
  }

  /** All committed records of a topic. */
  List<Posting> output(String topic) {
    List<Posting> all = new ArrayList<>();
    logs.forEach(
        (partition, log) -> {
          if (partition.topic().equals(topic)) {
            all.addAll(log.values());
          }
        });
    return all;
  }
}
