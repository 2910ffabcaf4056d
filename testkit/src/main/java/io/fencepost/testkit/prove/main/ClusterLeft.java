package io.fencepost.testkit.prove.main;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.LogEvents;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.prove.main.JobSends.Timed;
import io.fencepost.testkit.prove.main.WholeLogs.Batch;
import io.fencepost.testkit.prove.main.WholeLogs.Stored;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.apache.kafka.common.KafkaException;

/**
 * What a cluster holds now, as a history: transactions and plain records of its topics, what
 * readers of both isolation levels are handed, and the groups' offsets. Read without the clients of
 * the class path, so with any version of them. One thread.
 */
public final class ClusterLeft {
  private static final String READER = "reader of committed";
  private static final String SCAN = "reader of everything";

  private final RunHistory history = new RunHistory();
  private final List<String> gaps = new ArrayList<>();
  private final TreeMap<Long, String> transactionalIds = new TreeMap<>();
  private final List<PartitionLeft> partitions = new ArrayList<>();
  private final List<Event> offsets = new ArrayList<>();
  private final Map<String, Integer> counts = new HashMap<>();
  private final long sinceMs;
  private final long nowMs;

  /**
   * How much is read.
   *
   * @param records of each partition, its last ones
   * @param time for all of it
   * @param sinceMs when the cluster was started; no record is taken for older
   */
  public record Limits(int records, Duration time, long sinceMs) {}

  private ClusterLeft(long sinceMs) {
    this.sinceMs = sinceMs;
    this.nowMs = Math.max(sinceMs, System.currentTimeMillis());
  }

  /**
   * Reads it.
   *
   * @param form how a record is shown, by its key and value, which may be null
   * @throws KafkaException if no broker answers
   */
  public static ClusterLeft read(
      String bootstrap, Limits limits, BiFunction<byte[], byte[], String> form) {
    ClusterLeft left = new ClusterLeft(limits.sinceMs());
    try (ClusterReader reader = new ClusterReader(bootstrap, limits.time())) {
      for (int broker : reader.brokers()) {
        left.coordinated(reader, broker);
      }
      for (TopicPartition partition : reader.partitions()) {
        left.partition(reader, partition, limits.records(), form);
      }
    }
    left.tell();
    return left;
  }

  private void coordinated(ClusterReader reader, int broker) {
    try {
      transactionalIds.putAll(reader.transactionalIds(broker));
      for (String group : reader.groups(broker)) {
        reader
            .committed(broker, group)
            .forEach(
                (partition, offset) ->
                    offsets.add(new Event.OffsetSeen(group, LogEvents.parse(partition), offset)));
      }
    } catch (KafkaException e) {
      gaps.add(
          "Groups and transactional ids of broker %d are not told: %s."
              .formatted(broker, e.getMessage()));
    }
  }

  private void partition(
      ClusterReader reader,
      TopicPartition partition,
      int most,
      BiFunction<byte[], byte[], String> form) {
    try {
      PartitionLeft left = PartitionLeft.read(reader, partition, most, form::apply);
      partitions.add(left);
      if (left.isCut()) {
        gaps.add(
            "Of %s the last %d offsets are shown, from %d on; its log begins at %d."
                .formatted(partition, most, left.from(), left.start()));
      }
    } catch (KafkaException e) {
      gaps.add("%s is not shown: %s.".formatted(partition, e.getMessage()));
    }
  }

  private void tell() {
    partitions.forEach(
        it -> {
          it.transactional().forEach(this::count);
          it.plain().forEach(this::count);
        });
    List<Batch> transactional = new ArrayList<>();
    List<Timed> told = new ArrayList<>();
    for (PartitionLeft left : partitions) {
      left.transactional().forEach(batch -> transactional.add(named(batch)));
      left.plain().forEach(batch -> plain(named(batch), told));
    }
    JobSends sends = new JobSends(transactionalIds, paces(transactional));
    sends.take(transactional);
    for (Timed one : sends.events()) {
      if (!ProofHistory.isOfLog(one.event())) {
        told.add(new Timed(one.event(), within(one.atMs())));
      }
    }
    told.sort(Comparator.comparingLong(Timed::atMs));
    told.forEach(one -> history.addAt(one.event(), "log", one.atMs()));
    partitions.forEach(left -> reads(left, sends));
    offsets.forEach(history::audited);
  }

  private void count(Batch batch) {
    batch.records().forEach(it -> counts.merge(it.content(), 1, Integer::sum));
  }

  /** Histories tell records by their values. */
  private Batch named(Batch batch) {
    return batch.with(
        batch.records().stream()
            .map(it -> new Stored(it.offset(), name(batch.partition(), it)))
            .toList());
  }

  private String name(TopicPartition partition, Stored record) {
    return counts.getOrDefault(record.content(), 0) <= 1
        ? record.content()
        : record.content() + " at " + partition + "@" + record.offset();
  }

  private long within(long atMs) {
    return Math.max(sinceMs, Math.min(atMs, nowMs));
  }

  private void plain(Batch batch, List<Timed> told) {
    for (Stored it : batch.records()) {
      told.add(
          new Timed(
              new Event.Sent(
                  Event.plain(batch.partition() + "@" + it.offset()),
                  batch.partition(),
                  it.content(),
                  Outcome.OK,
                  it.offset()),
              within(batch.atMs())));
    }
  }

  private JobPaces paces(List<Batch> batches) {
    JobPaces paces = new JobPaces();
    for (Batch batch : batches) {
      long producer = batch.producer().producerId();
      String worker = transactionalIds.getOrDefault(producer, "producer " + producer);
      batch
          .records()
          .forEach(
              it ->
                  paces.passed(
                      worker, new JobPaces.Step(within(batch.atMs()), batch.partition().topic())));
    }
    return paces;
  }

  private void reads(PartitionLeft left, JobSends sends) {
    TopicPartition partition = left.partition();
    history.audited(
        new Event.Bounds(partition, left.start(), left.lastStableOffset(), left.highWatermark()));
    history.audited(new Event.Started(READER, Isolation.READ_COMMITTED, partition, left.from()));
    for (Stored it : left.committed()) {
      history.audited(read(READER, Isolation.READ_COMMITTED, left, it, sends));
    }
    history.audited(
        new Event.Passed(READER, Isolation.READ_COMMITTED, partition, left.committedEnd()));
    history.audited(new Event.Started(SCAN, Isolation.READ_UNCOMMITTED, partition, left.from()));
    List<Stored> all = new ArrayList<>();
    left.transactional().forEach(batch -> all.addAll(batch.records()));
    left.plain().forEach(batch -> all.addAll(batch.records()));
    all.sort(Comparator.comparingLong(Stored::offset));
    for (Stored it : all) {
      history.audited(read(SCAN, Isolation.READ_UNCOMMITTED, left, it, sends));
    }
    history.audited(
        new Event.Passed(SCAN, Isolation.READ_UNCOMMITTED, partition, left.highWatermark()));
  }

  private Event.Read read(
      String reader, Isolation isolation, PartitionLeft left, Stored record, JobSends sends) {
    TopicPartition partition = left.partition();
    Topics.Line line =
        new Topics.Line(
            partition.toString(), partition.topic(), record.offset(), "", name(partition, record));
    return new Event.Read(reader, isolation, partition, record.offset(), sends.value(line));
  }

  /** What was seen; that the cluster may go on is not excluded. */
  public RunHistory history() {
    return history;
  }

  /** What is not in it, in a sentence each. */
  public List<String> gaps() {
    return List.copyOf(gaps);
  }
}
