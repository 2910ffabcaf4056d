package io.fencepost.streams.test;

import io.fencepost.streams.task.Gateway;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * A cluster in memory that is obviously right: lists of records, transactions as flags of records,
 * markers that take an offset. Outlives the {@link MemoryClient}s that work on it. One thread.
 *
 * <p>What it does not have: compaction, retention by age, several members of a group at one time
 * (who subscribes last has all partitions, and the one before is fenced). A partition without a
 * committed offset is read from its start, whatever {@code auto.offset.reset} says.
 */
public final class MemoryCluster {
  private static final long NO_TIMESTAMP = -1;

  /** What becomes of the records of one producer between begin and end. */
  static final class Transaction {
    /** How it ended, if it has. */
    enum State {
      OPEN,
      COMMITTED,
      ABORTED
    }

    final Map<TopicPartition, Long> offsets = new LinkedHashMap<>();

    /** Where its first record of each partition stands. */
    final Map<TopicPartition, Long> firstOffsets = new LinkedHashMap<>();

    State state = State.OPEN;
  }

  /**
   * One offset of a log.
   *
   * @param record null for a marker
   * @param transaction null for what was published outside of one
   * @param turn counts over all partitions
   */
  private record Entry(
      @Nullable ConsumerRecord<byte[], byte[]> record,
      @Nullable Transaction transaction,
      long turn) {
    boolean isCommitted() {
      return record != null
          && (transaction == null || transaction.state == Transaction.State.COMMITTED);
    }
  }

  private static final class Log {
    final List<Entry> entries = new ArrayList<>();
    long startOffset;
  }

  private final SortedMap<String, List<Log>> topics = new TreeMap<>();
  private final Map<TopicPartition, Long> committed = new LinkedHashMap<>();
  private final Map<String, Integer> epochs = new LinkedHashMap<>();
  private final Map<String, Transaction> open = new LinkedHashMap<>();
  private long turns;
  private @Nullable MemoryClient member;

  /** Does nothing if it is there. */
  public void create(String topic, int partitions) {
    if (!topics.containsKey(topic)) {
      List<Log> logs = new ArrayList<>();
      for (int i = 0; i < partitions; i++) {
        logs.add(new Log());
      }
      topics.put(topic, logs);
    }
  }

  /** Gives a topic more partitions, or makes it. */
  public void grow(String topic, int partitions) {
    create(topic, partitions);
    List<Log> logs = topics.getOrDefault(topic, List.of());
    while (logs.size() < partitions) {
      logs.add(new Log());
    }
  }

  public List<String> topics() {
    return List.copyOf(topics.keySet());
  }

  /** How many partitions a topic has; 0 if it is not there. */
  public int partitions(String topic) {
    return topics.getOrDefault(topic, List.of()).size();
  }

  private Log log(TopicPartition partition) {
    List<Log> logs = topics.getOrDefault(partition.topic(), List.of());
    if (partition.partition() >= logs.size()) {
      throw new IllegalStateException(
          logs.isEmpty()
              ? "there is no topic " + partition.topic() + "; there are " + topics.keySet()
              : "topic " + partition.topic() + " has only " + logs.size() + " partitions");
    }
    return logs.get(partition.partition());
  }

  /** Publishes outside of any transaction. */
  public void append(TopicPartition partition, Gateway.Output record) {
    append(partition, record, null);
  }

  long append(TopicPartition to, Gateway.Output output, @Nullable Transaction transaction) {
    Log log = log(to);
    ConsumerRecord<byte[], byte[]> record =
        record(to, log.entries.size(), output.timestampMs(), output.key(), output.value());
    output.headers().forEach(record.headers()::add);
    log.entries.add(new Entry(record, transaction, turns++));
    if (transaction != null) {
      transaction.firstOffsets.putIfAbsent(to, record.offset());
    }
    return log.entries.size();
  }

  /** The partition that a producer with default settings chooses. */
  public TopicPartition partitionOf(String topic, byte @Nullable [] key) {
    int partitions = Math.max(1, partitions(topic));
    return new TopicPartition(topic, KeyPartitions.partition(key, partitions, turns));
  }

  private static ConsumerRecord<byte[], byte[]> record(
      TopicPartition partition,
      long offset,
      long timestampMs,
      byte @Nullable [] key,
      byte @Nullable [] value) {
    int keyBytes = key == null ? ConsumerRecord.NULL_SIZE : key.length;
    int valueBytes = value == null ? ConsumerRecord.NULL_SIZE : value.length;
    return new ConsumerRecord<>(
        partition.topic(),
        partition.partition(),
        offset,
        timestampMs,
        timestampMs == NO_TIMESTAMP ? TimestampType.NO_TIMESTAMP_TYPE : TimestampType.CREATE_TIME,
        keyBytes,
        valueBytes,
        key,
        value,
        noHeaders(),
        Optional.empty());
  }

  static Headers noHeaders() {
    return new ConsumerRecord<>("", 0, 0, "", "").headers();
  }

  /** User code may add to the headers of a record; the next reader must not see that. */
  private static ConsumerRecord<byte[], byte[]> copy(ConsumerRecord<byte[], byte[]> record) {
    TopicPartition partition = new TopicPartition(record.topic(), record.partition());
    ConsumerRecord<byte[], byte[]> copy =
        record(partition, record.offset(), record.timestamp(), record.key(), record.value());
    for (Header header : record.headers()) {
      copy.headers().add(header);
    }
    return copy;
  }

  // ---- what a reader sees

  public long startOffset(TopicPartition partition) {
    return log(partition).startOffset;
  }

  /** Offset after the last record or marker, open transactions included. */
  public long endOffset(TopicPartition partition) {
    return log(partition).entries.size();
  }

  /** Where a read_committed reader has to stop. */
  long stableOffset(TopicPartition partition) {
    long stable = endOffset(partition);
    for (Transaction transaction : open.values()) {
      stable = Math.min(stable, transaction.firstOffsets.getOrDefault(partition, stable));
    }
    return stable;
  }

  /** Committed records, and the position of the reader behind them. */
  record Read(List<ConsumerRecord<byte[], byte[]>> records, long position) {}

  /** Reads on as read_committed does: past markers and what was aborted. */
  Read read(TopicPartition partition, long from, int most) {
    List<Entry> entries = log(partition).entries;
    long end = stableOffset(partition);
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    long position = from;
    while (position < end) {
      Entry entry = entries.get((int) position);
      if (entry.isCommitted() && entry.record() != null) {
        if (records.size() == most) {
          break;
        }
        records.add(copy(entry.record()));
      }
      position++;
    }
    return new Read(records, position);
  }

  List<ConsumerRecord<byte[], byte[]>> read(TopicPartition partition) {
    return read(partition, startOffset(partition), Integer.MAX_VALUE).records();
  }

  /** What a read_committed reader of that topic sees, in the order of publishing. */
  public List<ConsumerRecord<byte[], byte[]>> committed(String topic) {
    return records(List.of(topic), false);
  }

  /** What a read_uncommitted reader sees: open and aborted records too. */
  public List<ConsumerRecord<byte[], byte[]>> uncommitted(String topic) {
    return records(List.of(topic), true);
  }

  /** As {@link #committed(String)}, of several topics. */
  public List<ConsumerRecord<byte[], byte[]>> committed(Collection<String> names) {
    return records(names, false);
  }

  private List<ConsumerRecord<byte[], byte[]>> records(
      Collection<String> names, boolean isUncommitted) {
    if (!topics.keySet().containsAll(names)) {
      throw new IllegalStateException("there is no topic " + names + "; there are " + topics());
    }
    TreeMap<Long, ConsumerRecord<byte[], byte[]>> found = new TreeMap<>();
    for (TopicPartition partition : partitionsOf(names)) {
      Log log = log(partition);
      long end = isUncommitted ? log.entries.size() : stableOffset(partition);
      for (Entry entry : log.entries.subList((int) log.startOffset, (int) end)) {
        if (entry.record() != null && (isUncommitted || entry.isCommitted())) {
          found.put(entry.turn(), copy(entry.record()));
        }
      }
    }
    return List.copyOf(found.values());
  }

  /** The group's committed offsets. */
  public Map<TopicPartition, Long> committedOffsets() {
    return committed;
  }

  // ---- producers and the group

  /** The newest producer of that transactional id: what the one before left open is aborted. */
  int renew(String transactionalId) {
    end(transactionalId, Transaction.State.ABORTED);
    return epochs.merge(transactionalId, 1, Integer::sum);
  }

  boolean isNewest(String transactionalId, int epoch) {
    return epochs.getOrDefault(transactionalId, 0) == epoch;
  }

  void begin(String transactionalId) {
    open.put(transactionalId, new Transaction());
  }

  @Nullable Transaction openTransaction(String transactionalId) {
    return open.get(transactionalId);
  }

  void end(String transactionalId, Transaction.State state) {
    Transaction ending = open.remove(transactionalId);
    if (ending == null) {
      return;
    }
    ending.state = state;
    if (state == Transaction.State.COMMITTED) {
      committed.putAll(ending.offsets);
    }
    for (TopicPartition partition : ending.firstOffsets.keySet()) {
      log(partition).entries.add(new Entry(null, null, turns++));
    }
  }

  void join(MemoryClient client) {
    member = client;
  }

  boolean isMember(MemoryClient client) {
    return member == client;
  }

  void purge(Map<TopicPartition, Long> beforeOffsets) {
    beforeOffsets.forEach(this::purge);
  }

  private void purge(TopicPartition partition, long beforeOffset) {
    Log log = log(partition);
    log.startOffset = Math.max(log.startOffset, Math.min(beforeOffset, log.entries.size()));
  }

  void purgeOlder(Map<TopicPartition, Long> beforeTimes) {
    beforeTimes.forEach(
        (partition, timeMs) ->
            log(partition).entries.stream()
                .<ConsumerRecord<byte[], byte[]>>mapMulti(
                    (entry, found) -> {
                      if (entry.record() != null && entry.record().timestamp() >= timeMs) {
                        found.accept(entry.record());
                      }
                    })
                .findFirst()
                .ifPresent(record -> purge(partition, record.offset())));
  }

  /** All partitions of those topics. */
  List<TopicPartition> partitionsOf(Collection<String> names) {
    List<TopicPartition> partitions = new ArrayList<>();
    for (String topic : names) {
      for (int i = 0; i < partitions(topic); i++) {
        partitions.add(new TopicPartition(topic, i));
      }
    }
    return partitions;
  }
}
