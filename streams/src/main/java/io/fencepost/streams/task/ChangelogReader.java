package io.fencepost.streams.task;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads changelogs back, read_committed, by position. Throws what the client throws. One thread.
 */
public interface ChangelogReader {
  /** First offset there is. */
  Map<TopicPartition, Long> startOffsets(Collection<TopicPartition> partitions);

  /**
   * Offset after the last record, markers and open transactions included: a reader that has passed
   * it has seen everything that was committed when this was asked.
   */
  Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions);

  /** From now on reads exactly these, each from its offset. */
  void assign(Map<TopicPartition, Long> fromOffsets);

  List<Gateway.Batch> poll(long timeoutMs);

  long position(TopicPartition partition);

  void close();
}
