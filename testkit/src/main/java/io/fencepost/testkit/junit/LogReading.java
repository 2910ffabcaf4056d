package io.fencepost.testkit.junit;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A partition as readers of both isolation levels saw it at one moment. Immutable.
 *
 * @param startOffset the first that is still there
 * @param lastStableOffset where readers of committed records stop, exclusive
 * @param highWatermark where all others stop, exclusive
 * @param rows one for each offset in between
 */
public record LogReading(
    TopicPartition partition,
    long startOffset,
    long lastStableOffset,
    long highWatermark,
    List<LogRow> rows,
    List<SeenValue> committed,
    List<SeenValue> everything) {

  /** A record that a reader was handed. */
  public record SeenValue(long offset, String value) {}

  public LogReading {
    rows = List.copyOf(rows);
    committed = List.copyOf(committed);
    everything = List.copyOf(everything);
  }

  /** What a reader of that isolation level was handed, in order. */
  public List<SeenValue> seenAt(IsolationLevel isolation) {
    return isolation == IsolationLevel.READ_COMMITTED ? committed : everything;
  }

  static LogReading of(
      String bootstrap, TopicPartition partition, SortedMap<Long, LogRow.Known> known) {
    try (PartitionReader committedReader = new PartitionReader(bootstrap, true);
        PartitionReader reader = new PartitionReader(bootstrap, false)) {
      long start = reader.start(partition);
      // In this order the stable end is not above the other, whoever writes in between.
      long lso = committedReader.end(partition);
      long end = reader.end(partition);
      List<SeenValue> committed = seen(committedReader.read(partition, start, lso));
      List<SeenValue> everything = seen(reader.read(partition, start, end));
      TreeMap<Long, String> values = byOffset(everything);
      TreeMap<Long, String> stable = byOffset(committed);
      List<LogRow> rows = new ArrayList<>();
      for (long offset = start; offset < end; offset++) {
        LogRow.Known fact = known.get(offset);
        String value = values.get(offset);
        if (value == null) {
          rows.add(unread(offset, fact));
        } else if (fact != null && fact.marker() == null) {
          rows.add(new LogRow(offset, fact.transaction(), value, fact.state()));
        } else {
          rows.add(new LogRow(offset, null, value, foreign(offset, lso, stable)));
        }
      }
      return new LogReading(partition, start, lso, end, rows, committed, everything);
    }
  }

  private static LogRow unread(long offset, LogRow.@Nullable Known fact) {
    return fact == null || fact.marker() == null
        ? new LogRow(offset, null, "", LogRow.State.GAP)
        : new LogRow(offset, fact.transaction(), fact.marker(), LogRow.State.MARKER);
  }

  private static LogRow.State foreign(long offset, long lso, SortedMap<Long, String> stable) {
    if (offset >= lso) {
      return LogRow.State.UNDECIDED;
    }
    return stable.containsKey(offset) ? LogRow.State.COMMITTED : LogRow.State.ABORTED;
  }

  private static List<SeenValue> seen(List<ConsumerRecord<byte[], byte[]>> records) {
    return records.stream().map(it -> new SeenValue(it.offset(), Records.text(it))).toList();
  }

  private static TreeMap<Long, String> byOffset(List<SeenValue> values) {
    TreeMap<Long, String> byOffset = new TreeMap<>();
    values.forEach(it -> byOffset.put(it.offset(), it.value()));
    return byOffset;
  }
}
