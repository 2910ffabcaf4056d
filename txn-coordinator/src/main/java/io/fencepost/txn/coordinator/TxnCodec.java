package io.fencepost.txn.coordinator;

import io.fencepost.broker.batch.MalformedBatchException;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireReader;
import io.fencepost.txn.record.TransactionLogKey;
import io.fencepost.txn.record.TransactionLogValue;
import io.fencepost.txn.shard.NewRecord;
import io.fencepost.txn.shard.VersionedBytes;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnEntry;
import io.fencepost.txn.txn.TxnState;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Entries as records of {@code __transaction_state}, in Kafka's format (key version 0, value
 * version 1). The format has no field for the epoch of the last identity; the previous producer id
 * stands for it: equal to the producer id, the last identity is one epoch back; another id, it is
 * that id's last epoch; -1, there is none.
 */
final class TxnCodec {
  private static final short KEY_VERSION = 0;
  private static final short VALUE_VERSION = 1;
  private static final short LAST_EPOCH = Short.MAX_VALUE - 1;

  private TxnCodec() {}

  static NewRecord toRecord(TxnEntry entry) {
    return new NewRecord(key(entry.transactionalId()), value(entry));
  }

  static NewRecord tombstone(String transactionalId) {
    return new NewRecord(key(transactionalId), null);
  }

  /** The transactional id in a key, or null if the key is of a kind that we do not know. */
  static @Nullable String transactionalId(ByteBuffer key) {
    if (key.remaining() < Short.BYTES || key.getShort() != KEY_VERSION) {
      return null;
    }
    return TransactionLogKey.read(new WireReader(key), KEY_VERSION).transactionalId;
  }

  static TxnEntry entry(String transactionalId, ByteBuffer value) {
    int version = value.getShort();
    if (version != 0 && version != VALUE_VERSION) {
      throw new MalformedBatchException(
          "state of transactional id " + transactionalId + " has unknown version " + version);
    }
    TransactionLogValue logged = TransactionLogValue.read(new WireReader(value), version);
    TxnState state = TxnState.of(logged.transactionStatus);
    if (state == null) {
      throw new MalformedBatchException(
          "state of transactional id " + transactionalId + " is " + logged.transactionStatus);
    }
    TreeSet<TopicPartition> partitions = new TreeSet<>();
    if (logged.transactionPartitions != null) {
      for (TransactionLogValue.PartitionsSchema topic : logged.transactionPartitions) {
        topic.partitionIds.forEach(id -> partitions.add(new TopicPartition(topic.topic, id)));
      }
    }
    ProducerIdentity producer = new ProducerIdentity(logged.producerId, logged.producerEpoch);
    return new TxnEntry(
        transactionalId,
        producer,
        last(producer, logged.previousProducerId),
        logged.nextProducerId,
        logged.transactionTimeoutMs,
        state,
        partitions,
        logged.transactionStartTimestampMs,
        logged.transactionLastUpdateTimestampMs,
        logged.clientTransactionVersion);
  }

  private static ProducerIdentity last(ProducerIdentity producer, long previousProducerId) {
    if (previousProducerId < 0) {
      return ProducerIdentity.NONE;
    }
    return previousProducerId == producer.producerId()
        ? new ProducerIdentity(previousProducerId, (short) (producer.epoch() - 1))
        : new ProducerIdentity(previousProducerId, LAST_EPOCH);
  }

  private static byte[] key(String transactionalId) {
    TransactionLogKey key = new TransactionLogKey();
    key.transactionalId = transactionalId;
    return VersionedBytes.of(key, KEY_VERSION);
  }

  private static byte[] value(TxnEntry entry) {
    TransactionLogValue value = new TransactionLogValue();
    value.producerId = entry.producer().producerId();
    value.producerEpoch = entry.producer().epoch();
    value.previousProducerId = entry.last().producerId();
    value.nextProducerId = entry.nextProducerId();
    value.transactionTimeoutMs = entry.timeoutMs();
    value.transactionStatus = entry.state().code();
    value.transactionPartitions = entry.state() == TxnState.EMPTY ? null : partitions(entry);
    value.transactionLastUpdateTimestampMs = entry.updatedMs();
    value.transactionStartTimestampMs = entry.startMs();
    value.clientTransactionVersion = (short) entry.clientVersion();
    return VersionedBytes.of(value, VALUE_VERSION);
  }

  private static List<TransactionLogValue.PartitionsSchema> partitions(TxnEntry entry) {
    List<TransactionLogValue.PartitionsSchema> topics = new ArrayList<>();
    TransactionLogValue.PartitionsSchema topic = null;
    for (TopicPartition partition : entry.partitions()) {
      if (topic == null || !topic.topic.equals(partition.topic())) {
        topic = new TransactionLogValue.PartitionsSchema();
        topic.topic = partition.topic();
        topics.add(topic);
      }
      topic.partitionIds.add(partition.partition());
    }
    return topics;
  }
}
