package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;

/** One thing that a client saw or did. Transactions and values have names that are used once. */
public sealed interface Event {
  /** A record was handed to the broker; the offset is -1 unless the outcome is OK. */
  record Sent(
      String transaction, TopicPartition partition, String value, Outcome outcome, long offset)
      implements Event {}

  /** The end of a transaction was asked for, for the first time. */
  record EndAsked(String transaction, boolean commit) implements Event {}

  /** The asked end is known, or given up on. */
  record Ended(String transaction, boolean commit, Outcome outcome) implements Event {}

  /** An offset was staged in a transaction. */
  record Staged(String transaction, String group, TopicPartition partition, long offset)
      implements Event {}

  /** What a stable read of a committed offset gave; -1 if there is none. */
  record OffsetSeen(String group, TopicPartition partition, long offset) implements Event {}

  /** A reader was handed a record. */
  record Read(
      String reader, Isolation isolation, TopicPartition partition, long offset, String value)
      implements Event {}

  /** A reader's position moved to here: it will never be handed an offset below. */
  record Passed(String reader, Isolation isolation, TopicPartition partition, long position)
      implements Event {}

  /** What a fetch answer said about the partition. */
  record Watermarks(
      String reader, TopicPartition partition, long lastStableOffset, long highWatermark)
      implements Event {}

  /** A data batch stands in the log, seen by a scan from its start to its end. */
  record Batch(
      TopicPartition partition,
      long baseOffset,
      long producerId,
      int producerEpoch,
      int baseSequence,
      int recordCount)
      implements Event {}

  /** Which records a reader asks for. */
  enum Isolation {
    READ_COMMITTED,
    READ_UNCOMMITTED
  }
}
