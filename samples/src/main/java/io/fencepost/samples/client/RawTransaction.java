package io.fencepost.samples.client;

import io.fencepost.broker.cluster.TopicNames;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.EndTxnRequest;
import io.fencepost.broker.wire.message.EndTxnResponse;
import io.fencepost.broker.wire.message.WriteTxnMarkersRequest;
import io.fencepost.broker.wire.message.WriteTxnMarkersResponse;
import io.fencepost.testkit.net.RawClient;
import io.fencepost.txn.coordinator.TxnRecords;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Where a transactional id stands, by the newest record that its coordinator has logged and
 * committed, and the requests that end its transaction, made by hand.
 *
 * @param state as tools name it, like {@code PrepareCommit}
 */
public record RawTransaction(
    String transactionalId, String state, long producerId, short producerEpoch) {
  /** The versions of KIP-890: each end raises the epoch. */
  private static final short END_VERSION = 5;

  private static final short MARKERS_VERSION = 2;
  private static final byte TRANSACTION_VERSION = 2;

  /** Reads it from the coordinator, on a cluster with one partition of transaction state. */
  public static RawTransaction read(RawClient coordinator, String transactionalId) {
    RawLog log = RawLog.read(coordinator, new TopicPartition(TopicNames.TRANSACTIONS, 0));
    RawTransaction newest = null;
    for (RawLog.Entry entry : log.entries()) {
      Map<String, Object> fields = TxnRecords.describe(entry.key(), entry.value());
      if (fields != null
          && transactionalId.equals(fields.get("transactionalId"))
          && fields.get("producerId") instanceof Number id
          && fields.get("producerEpoch") instanceof Number epoch) {
        newest =
            new RawTransaction(
                transactionalId,
                String.valueOf(fields.get("state")),
                id.longValue(),
                epoch.shortValue());
      }
    }
    if (newest == null) {
      throw new KafkaException("the transaction log does not know " + transactionalId);
    }
    return newest;
  }

  /** Asks the coordinator to commit, and waits for its answer. */
  public void commit(RawClient coordinator) {
    EndTxnRequest request = new EndTxnRequest();
    request.transactionalId = transactionalId;
    request.producerId = producerId;
    request.producerEpoch = producerEpoch;
    request.committed = true;
    EndTxnResponse response =
        coordinator.call(ApiKey.END_TXN, END_VERSION, request, EndTxnResponse.class);
    require(response.errorCode, "EndTxn");
  }

  /** Writes the commit markers as the coordinator would, which does not learn of it. */
  public void writeCommitMarkers(
      RawClient leader, Collection<TopicPartition> partitions, int coordinatorEpoch) {
    TreeMap<String, WriteTxnMarkersRequest.WritableTxnMarkerTopic> topics = new TreeMap<>();
    for (TopicPartition partition : partitions) {
      WriteTxnMarkersRequest.WritableTxnMarkerTopic topic =
          topics.computeIfAbsent(
              partition.topic(), name -> new WriteTxnMarkersRequest.WritableTxnMarkerTopic());
      topic.name = partition.topic();
      topic.partitionIndexes.add(partition.partition());
    }
    WriteTxnMarkersRequest.WritableTxnMarker marker =
        new WriteTxnMarkersRequest.WritableTxnMarker();
    marker.producerId = producerId;
    marker.producerEpoch = producerEpoch;
    marker.transactionResult = true;
    marker.coordinatorEpoch = coordinatorEpoch;
    marker.transactionVersion = TRANSACTION_VERSION;
    marker.topics.addAll(topics.values());
    WriteTxnMarkersRequest request = new WriteTxnMarkersRequest();
    request.markers = List.of(marker);
    WriteTxnMarkersResponse response =
        leader.call(
            ApiKey.WRITE_TXN_MARKERS, MARKERS_VERSION, request, WriteTxnMarkersResponse.class);
    response.markers.forEach(
        result ->
            result.topics.forEach(
                topic ->
                    topic.partitions.forEach(
                        partition -> require(partition.errorCode, "WriteTxnMarkers"))));
  }

  private static void require(short errorCode, String request) {
    if (errorCode != 0) {
      throw new KafkaException(request + " answered " + WireError.of(errorCode));
    }
  }
}
