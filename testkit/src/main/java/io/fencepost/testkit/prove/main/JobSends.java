package io.fencepost.testkit.prove.main;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.prove.main.WholeLogs.Batch;
import io.fencepost.testkit.prove.main.WholeLogs.Stored;
import io.fencepost.txn.txn.ProducerIdentity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a job's transactions wrote, as events: by the batches and markers of the logs, and at the
 * times at which the job passed its steps, as records say another time. Not thread-safe.
 */
final class JobSends {
  /** A record of a transaction that was not committed has another name than one that was. */
  private static final String ABORTED = " (aborted)";

  private static final String OPEN = " (open)";

  private final SortedMap<Long, String> transactionalIds;
  private final JobPaces paces;
  private final List<Timed> events = new ArrayList<>();
  private final TreeMap<String, Stored> named = new TreeMap<>();
  private long abortedCount;

  /** An event and when it was, in milliseconds since the epoch. */
  record Timed(Event event, long atMs) {}

  /** Batches of one producer in one partition that one marker ends, if there is one yet. */
  private static final class Part {
    final ProducerIdentity producer;
    final int place;
    final List<Batch> batches = new ArrayList<>();
    @Nullable Batch marker;

    Part(ProducerIdentity producer, int place) {
      this.producer = producer;
      this.place = place;
    }

    TopicPartition partition() {
      return batches.get(0).partition();
    }

    String suffix() {
      Batch end = marker;
      if (end == null) {
        return OPEN;
      }
      return Boolean.TRUE.equals(end.commit()) ? "" : ABORTED;
    }
  }

  /** Nothing yet. */
  JobSends(SortedMap<Long, String> transactionalIds, JobPaces paces) {
    this.transactionalIds = transactionalIds;
    this.paces = paces;
  }

  /** Takes all batches, each partition in order. */
  void take(List<Batch> batches) {
    List<Part> parts = parts(batches);
    TreeSet<String> reused = new TreeSet<>();
    parts.stream().filter(part -> part.place > 0).forEach(part -> reused.add(key(part.producer)));
    TreeMap<String, List<Part>> transactions = new TreeMap<>();
    for (Part part : parts) {
      String key = key(part.producer);
      // By the older protocol an epoch has many transactions, and which parts of two partitions
      // belong together is not in the logs.
      String name = reused.contains(key) ? key + "-" + part.place + "@" + part.partition() : key;
      transactions.computeIfAbsent(name, it -> new ArrayList<>()).add(part);
    }
    List<Map.Entry<String, List<Part>>> inOrder = new ArrayList<>(transactions.entrySet());
    inOrder.sort(Comparator.comparingLong(entry -> endMs(entry.getValue())));
    inOrder.forEach(entry -> transaction(entry.getKey(), entry.getValue()));
  }

  private static String key(ProducerIdentity producer) {
    return producer.producerId() + "/" + producer.epoch();
  }

  private static List<Part> parts(List<Batch> batches) {
    List<Part> parts = new ArrayList<>();
    TreeMap<String, Part> open = new TreeMap<>();
    TreeMap<String, Integer> counts = new TreeMap<>();
    for (Batch batch : batches) {
      String where = batch.partition() + " " + batch.producer().producerId();
      if (batch.commit() != null) {
        Part ended = open.remove(where);
        if (ended != null) {
          ended.marker = batch;
        }
        continue;
      }
      Part part = open.get(where);
      if (part == null) {
        int place = counts.merge(where + " " + batch.producer().epoch(), 1, Integer::sum) - 1;
        part = new Part(batch.producer(), place);
        open.put(where, part);
        parts.add(part);
      }
      part.batches.add(batch);
    }
    return parts;
  }

  /** When its first marker was written; at the very end if there is none. */
  private static long endMs(List<Part> parts) {
    long first = Long.MAX_VALUE;
    for (Part part : parts) {
      Batch marker = part.marker;
      first = marker == null ? first : Math.min(first, marker.atMs());
    }
    return first;
  }

  private void transaction(String key, List<Part> parts) {
    ProducerIdentity producer = parts.get(0).producer;
    String worker =
        transactionalIds.getOrDefault(producer.producerId(), "producer " + producer.producerId());
    JobPaces.Pace pace = paces.next(worker, endMs(parts));
    String name = pace.session() + key.substring(key.indexOf('/'));
    TreeSet<String> alone = new TreeSet<>(List.of(name));
    for (Part part : parts) {
      for (Batch batch : part.batches) {
        long firstMs = pace.sentMs(batch.partition().topic());
        add(
            new Event.TransactionalBatch(
                batch.partition(), batch.baseOffset(), batch.leaderEpoch(), producer, alone),
            firstMs);
        long atMs = firstMs;
        for (int i = 0; i < batch.records().size(); i++) {
          atMs = i == 0 ? firstMs : pace.sentMs(batch.partition().topic());
          sent(name, batch.partition(), batch.records().get(i), part.suffix(), atMs);
        }
      }
    }
    ends(name, parts, pace);
  }

  private void sent(
      String name, TopicPartition partition, Stored record, String suffix, long atMs) {
    String value = record.content() + suffix;
    abortedCount += suffix.isEmpty() ? 0 : 1;
    named.put(partition + "@" + record.offset(), new Stored(record.offset(), value));
    add(new Event.SendAsked(name, partition, value), atMs);
    add(new Event.Sent(name, partition, value, Outcome.OK, record.offset()), atMs);
  }

  private void ends(String name, List<Part> parts, JobPaces.Pace pace) {
    List<Batch> markers = new ArrayList<>();
    for (Part part : parts) {
      if (part.marker != null) {
        markers.add(part.marker);
      }
    }
    markers.sort(Comparator.comparingLong(Batch::atMs));
    for (int i = 0; i < markers.size(); i++) {
      Batch marker = markers.get(i);
      boolean commit = Boolean.TRUE.equals(marker.commit());
      if (i == 0) {
        add(new Event.EndAsked(name, commit), pace.endAskedMs());
      }
      add(
          new Event.MarkerLogged(
              marker.partition(),
              marker.baseOffset(),
              marker.leaderEpoch(),
              marker.producer(),
              commit,
              marker.coordinatorEpoch()),
          marker.atMs());
      if (i == markers.size() - 1) {
        add(new Event.Ended(name, commit, Outcome.OK), marker.atMs());
      }
    }
  }

  private void add(Event event, long atMs) {
    events.add(new Timed(event, atMs));
  }

  /** All that was found, not in the order of time. */
  List<Timed> events() {
    return events;
  }

  /** Records that stand in the logs. */
  long count() {
    return named.size();
  }

  /** Those of them whose transactions were not committed. */
  long abortedCount() {
    return abortedCount;
  }

  /** The name of what was read: that of the record which stands there, if it is the same. */
  String value(Topics.Line line) {
    String content = line.text();
    Stored there = named.get(line.partition() + "@" + line.offset());
    return there != null && isNamed(there.content(), content) ? there.content() : content;
  }

  /** Whether it is a name of a record of this content. */
  static boolean isNamed(String value, String content) {
    return value.equals(content) || value.equals(content + ABORTED) || value.equals(content + OPEN);
  }
}
