package io.fencepost.streams.task;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * A worker's consumer and transactional producer, as the cycle sees them. Methods throw what the
 * client throws; {@link FailureClass} says what that means. One thread.
 */
public interface Gateway {
  /** Input of one partition, in offset order. */
  record Batch(TopicPartition partition, List<ConsumerRecord<byte[], byte[]>> records) {}

  /** One record of output, already in bytes. */
  record Output(
      String topic,
      byte @Nullable [] key,
      byte @Nullable [] value,
      long timestampMs,
      Iterable<Header> headers) {}

  /** Who is told of the group's decisions, during {@link #poll} only. */
  interface Assignment {
    void assigned(Collection<TopicPartition> partitions);

    void revoked(Collection<TopicPartition> partitions);

    void lost(Collection<TopicPartition> partitions);
  }

  /** Joins the group: for those topics or, if there is one, for all that match the pattern. */
  void subscribe(Collection<String> topics, @Nullable Pattern pattern, Assignment assignment);

  List<Batch> poll(long timeoutMs);

  void pause(Collection<TopicPartition> partitions);

  void resume(Collection<TopicPartition> partitions);

  long position(TopicPartition partition);

  /**
   * As {@link #position}, of an input of which nothing was committed: null while the broker has not
   * told where it begins. Waits but for a moment: a partition that the group is about to take away
   * gets no position before the next {@link #poll}.
   */
  @Nullable Long firstPosition(TopicPartition partition);

  /**
   * End of the committed input minus {@link #position}; -1 while it is not known. Does not wait for
   * the broker.
   */
  long lag(TopicPartition partition);

  /** Bytes of keys and values sent since {@link #begin}. */
  default long sentBytes() {
    return 0;
  }

  /** Bytes that brokers have sent to the consumer so far, heartbeats too; -1 if unknown. */
  default long receivedBytes() {
    return -1;
  }

  void seek(TopicPartition partition, long offset);

  /**
   * Stable committed offsets: waits for pending transactions; no entry where nothing is committed.
   */
  Map<TopicPartition, Long> committed(Collection<TopicPartition> partitions);

  /**
   * Closes the producer, if any, and makes one that fences all before it with its transactional id.
   */
  void renewProducer();

  void begin();

  void send(Output output);

  /**
   * One record of a changelog.
   *
   * @param timestampMs null for the wall clock's
   */
  record Change(byte @Nullable [] key, byte @Nullable [] value, @Nullable Long timestampMs) {}

  void sendChange(TopicPartition changelog, Change change);

  /** Adds the input offsets, with the group's metadata, to the transaction. */
  void stageOffsets(Map<TopicPartition, Long> offsets);

  void commit();

  /**
   * Undoes the open cycle; false if what was sent stays sent, so that the stores must catch up with
   * it.
   */
  boolean abort();

  /**
   * Per changelog partition the offset after the last change sent since {@link #begin} and after
   * the marker that ends it, if known. The marker may come later: the changelog may end one before.
   */
  Map<TopicPartition, Long> changePositions();

  /**
   * Asks for everything before those offsets to be deleted. Does not wait; a failure is of no
   * consequence, as the next call asks for more.
   */
  void purge(Map<TopicPartition, Long> beforeOffsets);

  /** As {@link #purge}, of all records before the first one that is not older than a time in ms. */
  void purgeOlder(Map<TopicPartition, Long> beforeTimes);

  /**
   * Leaves the group and closes the clients within the time.
   *
   * @param isReplaced another process has this worker's place in the group and keeps it
   */
  void close(long timeoutMs, boolean isReplaced);
}
