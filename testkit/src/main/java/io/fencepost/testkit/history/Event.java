package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnState;
import java.util.SortedSet;

/** One thing that a client saw or did. Transactions and values have names that are used once. */
public sealed interface Event {
  /** What {@link #plain} names begin with. */
  String PLAIN_PREFIX = "plain:";

  /** A record is about to be handed to the broker; without a {@link Sent} its fate is unknown. */
  record SendAsked(String transaction, TopicPartition partition, String value) implements Event {}

  /** A record was handed to the broker; the offset is -1 unless the outcome is OK. */
  record Sent(
      String transaction,
      TopicPartition partition,
      String value,
      Outcome outcome,
      long offset,
      Content content)
      implements Event {
    public Sent(
        String transaction, TopicPartition partition, String value, Outcome outcome, long offset) {
      this(transaction, partition, value, outcome, offset, Content.NONE);
    }
  }

  /** The end of a transaction was asked for, for the first time. */
  record EndAsked(String transaction, boolean commit) implements Event {}

  /** The asked end is known, or given up on. */
  record Ended(String transaction, boolean commit, Outcome outcome) implements Event {}

  /** An offset was staged in a transaction. */
  record Staged(String transaction, String group, TopicPartition partition, long offset)
      implements Event {}

  /**
   * What a job makes of a topic that it reads; one for each topic that it writes. Where it stands
   * in the history does not matter.
   */
  record Flow(String group, String input, String output, Takes takes) implements Event {}

  /** What a stable read of a committed offset gave; -1 if there is none. */
  record OffsetSeen(String group, TopicPartition partition, long offset) implements Event {}

  /** A reader was handed a record. */
  record Read(
      String reader,
      Isolation isolation,
      TopicPartition partition,
      long offset,
      String value,
      Content content)
      implements Event {
    public Read(
        String reader, Isolation isolation, TopicPartition partition, long offset, String value) {
      this(reader, isolation, partition, offset, value, Content.NONE);
    }
  }

  /** A reader begins here; without this it begins at offset 0. */
  record Started(String reader, Isolation isolation, TopicPartition partition, long offset)
      implements Event {}

  /** A reader's position moved to here: it will never be handed an offset below. */
  record Passed(String reader, Isolation isolation, TopicPartition partition, long position)
      implements Event {}

  /** A reader that began at the first offset has been handed all below the second. */
  record Probed(String reader, TopicPartition partition, long fromOffset, long toOffset)
      implements Event {
    /** Names of such readers begin so. */
    public static final String PREFIX = "probe-";
  }

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

  /** A session owns its transactional id from now on: its InitProducerId was answered. */
  record Opened(String transactionalId, String session) implements Event {}

  /** A session asked for something after its successor had been {@link Opened}. */
  record Late(String session, String request, Outcome outcome, String why) implements Event {}

  /** A member that its group had given up staged offsets with its old generation. */
  record StaleStaged(String session, Outcome outcome, String why) implements Event {}

  /** The commit of a transaction was asked for after its timeout had passed. */
  record Overdue(String transaction, Outcome outcome, String why) implements Event {}

  /** A transaction used a record that its job had read under read_committed. */
  record Took(String transaction, TopicPartition partition, long offset, String value)
      implements Event {}

  /** A committed offset is about to be asked for; the next {@link OffsetSeen} answers. */
  record OffsetAsked(String group, TopicPartition partition) implements Event {}

  /** A broker takes itself for the leader of a partition in this epoch. */
  record Led(TopicPartition partition, int leaderEpoch, int broker) implements Event {}

  /** An entry of the transaction log, seen by a scan of each partition in order. */
  record StateLogged(
      TopicPartition partition,
      long offset,
      String transactionalId,
      TxnState state,
      ProducerIdentity producer,
      SortedSet<TopicPartition> partitions)
      implements Event {}

  /**
   * A transactional batch, seen by a scan of each partition in order.
   *
   * @param transactions whose records it holds; empty if its records do not say
   */
  record TransactionalBatch(
      TopicPartition partition,
      long baseOffset,
      int leaderEpoch,
      ProducerIdentity producer,
      SortedSet<String> transactions)
      implements Event {}

  /** The marker of a transaction's end, seen by a scan of each partition in order. */
  record MarkerLogged(
      TopicPartition partition,
      long offset,
      int leaderEpoch,
      ProducerIdentity producer,
      boolean commit,
      int coordinatorEpoch)
      implements Event {}

  /** How the log of a topic loses records. Where it stands in the history does not matter. */
  record Cleanup(String topic, Policy policy) implements Event {
    /** Kafka's {@code cleanup.policy}. */
    public enum Policy {
      COMPACT,
      DELETE
    }
  }

  /** What a partition's leader said: asked in this order, so the first is at most the second. */
  record Bounds(
      TopicPartition partition, long logStartOffset, long lastStableOffset, long highWatermark)
      implements Event {}

  /**
   * While the last stable offset stood at the first offset, a reader of everything was handed all
   * below the second.
   */
  record Stood(String reader, TopicPartition partition, long lastStableOffset, long toOffset)
      implements Event {}

  /** When nobody wrote any more, a reader that began at the log's start was handed all of it. */
  record Scanned(
      String reader, Isolation isolation, TopicPartition partition, long fromOffset, long toOffset)
      implements Event {}

  /**
   * A producer sent a batch of one record, or sent its last one again.
   *
   * @param isRepeat whether it was answered before
   * @param isGone whether its last record was found to be removed before
   * @param isCalm whether all replicas were in sync when its last record was written, and no broker
   *     was hurt since
   * @param offset of the record, as far as it was answered; else -1
   */
  record Sequenced(
      TopicPartition partition,
      ProducerIdentity producer,
      int sequence,
      boolean isRepeat,
      boolean isGone,
      boolean isCalm,
      Outcome outcome,
      long offset,
      String why)
      implements Event {}

  /**
   * What stands in the log of one replica of a partition that is compacted or trimmed, seen by a
   * scan in order.
   *
   * @param lastOffset inclusive
   * @param lastSequence inclusive
   * @param transactions whose records it still holds
   */
  record Remnant(
      int broker,
      TopicPartition partition,
      Kind kind,
      long baseOffset,
      long lastOffset,
      int recordCount,
      ProducerIdentity producer,
      int lastSequence,
      SortedSet<String> transactions)
      implements Event {
    /** What a batch is. */
    public enum Kind {
      PLAIN,
      TRANSACTIONAL,
      COMMIT,
      ABORT
    }
  }

  /** What a check of a stopped cluster's files found. */
  record FileFinding(String sentence) implements Event {}

  /** That check is done, over so many batches of all replicas. */
  record FilesChecked(long batchCount) implements Event {}

  /** Something is broken from here on, by who tests: for people, no check looks at it. */
  record Fault(String what) implements Event {}

  /** Something that was broken is well again. */
  record Repair(String what) implements Event {}

  /** Something that no client should meet, or that is not done long after the last fault. */
  record Trouble(String what) implements Event {}

  /** Nobody writes any more, and all is read: what is not in the history by now never will be. */
  record Finished() implements Event {}

  /** The transaction of a record that is sent without one: its own, and done with its sending. */
  static String plain(String value) {
    return PLAIN_PREFIX + value;
  }

  /** Of which input records an output topic holds what was made. */
  enum Takes {
    /** Of each there is one. */
    EACH,
    /** Of each there is one, here or in another topic that takes either, first or again. */
    EITHER,
    /** Of the first with its key. */
    FIRST,
    /** Of those whose key was there before. */
    AGAIN,
    /** Of some there are some. */
    SOME
  }

  /** Which records a reader asks for. */
  enum Isolation {
    READ_COMMITTED,
    READ_UNCOMMITTED
  }
}
