package io.fencepost.testkit.report;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts what became of the records of a run, by topic. Not thread-safe. */
final class RecordCount {
  private final TreeMap<String, Topic> topics = new TreeMap<>();

  private static final class Topic {
    final Map<String, @Nullable Outcome> outcomes = new LinkedHashMap<>();
    final TreeMap<TopicPartition, long[]> bounds = new TreeMap<>();
    final Map<String, String> firstPlaces = new LinkedHashMap<>();
    final LinkedHashSet<String> copies = new LinkedHashSet<>();

    void stands(TopicPartition partition, long offset, String value) {
      reach(partition, offset, offset + 1);
      String place = partition.partition() + "@" + offset;
      String first = firstPlaces.putIfAbsent(value, place);
      if (first != null && !first.equals(place)) {
        copies.add(place + " " + value);
      }
    }

    void reach(TopicPartition partition, long from, long end) {
      long[] known =
          bounds.computeIfAbsent(partition, key -> new long[] {Long.MAX_VALUE, Long.MIN_VALUE});
      known[0] = Math.min(known[0], from);
      known[1] = Math.max(known[1], end);
    }

    long outcomes(@Nullable Outcome wanted) {
      return outcomes.values().stream().filter(outcome -> outcome == wanted).count();
    }

    RecordRow row(String name) {
      long delta = bounds.values().stream().mapToLong(it -> it[1] - it[0]).sum();
      return new RecordRow(
          name,
          (long) outcomes.size(),
          outcomes(Outcome.OK),
          outcomes(Outcome.FAILED),
          outcomes(Outcome.UNKNOWN) + outcomes(null),
          bounds.isEmpty() ? null : delta,
          bounds.isEmpty() ? null : (long) copies.size(),
          null);
    }
  }

  private RecordCount() {}

  /** A row for each topic to which something was sent, and one for all of them. */
  static List<RecordRow> of(Run run) {
    RecordCount count = new RecordCount();
    run.history().events().forEach(count::take);
    List<RecordRow> rows = new ArrayList<>();
    count.topics.forEach(
        (name, topic) -> {
          if (!topic.outcomes.isEmpty()) {
            rows.add(topic.row(name));
          }
        });
    if (!rows.isEmpty()) {
      rows.add(total("all", rows, run.readsDropped()));
    }
    return rows;
  }

  static RecordRow total(String name, List<RecordRow> rows, @Nullable Long readsDropped) {
    Long intended = null;
    long sent = 0;
    long failed = 0;
    long unknown = 0;
    Long delta = null;
    Long duplicates = null;
    for (RecordRow row : rows) {
      intended = plus(intended, row.intended());
      sent += row.sent();
      failed += row.failed();
      unknown += row.unknown();
      delta = plus(delta, row.logDelta());
      duplicates = plus(duplicates, row.duplicates());
    }
    return new RecordRow(name, intended, sent, failed, unknown, delta, duplicates, readsDropped);
  }

  private static @Nullable Long plus(@Nullable Long one, @Nullable Long other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one + other;
  }

  private Topic topic(TopicPartition partition) {
    return topics.computeIfAbsent(partition.topic(), name -> new Topic());
  }

  private void take(Event event) {
    if (event instanceof Event.SendAsked it) {
      topic(it.partition()).outcomes.putIfAbsent(it.value(), null);
    } else if (event instanceof Event.Sent it) {
      topic(it.partition()).outcomes.put(it.value(), it.outcome());
      if (it.outcome() == Outcome.OK) {
        topic(it.partition()).stands(it.partition(), it.offset(), it.value());
      }
    } else if (event instanceof Event.Read it) {
      topic(it.partition()).stands(it.partition(), it.offset(), it.value());
    } else if (event instanceof Event.Started it) {
      topic(it.partition()).reach(it.partition(), it.offset(), it.offset());
    } else if (event instanceof Event.Watermarks it) {
      topic(it.partition()).reach(it.partition(), it.highWatermark(), it.highWatermark());
    } else if (event instanceof Event.Passed it) {
      topic(it.partition()).reach(it.partition(), it.position(), it.position());
    } else if (event instanceof Event.MarkerLogged it) {
      topic(it.partition()).reach(it.partition(), it.offset(), it.offset() + 1);
    }
  }
}
