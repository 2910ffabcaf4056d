package io.fencepost.txn.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.replica.MarkerRequest;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.message.WriteTxnMarkersRequest;
import io.fencepost.broker.wire.message.WriteTxnMarkersResponse;
import io.fencepost.txn.coordinator.MarkerTarget;

/**
 * WriteTxnMarkers (27), versions 1 and 2: between brokers, and how Admin.abortTransaction ends a
 * hanging transaction.
 *
 * <ul>
 *   <li>Each partition answers for itself, when its marker is committed. A repeated marker
 *       succeeds.
 *   <li>v1 flexible; v2 names the transaction version, so that the epoch of the marker may be
 *       checked strictly (KIP-1228).
 * </ul>
 */
final class WriteTxnMarkers implements ApiHandler<WriteTxnMarkersRequest, WriteTxnMarkersResponse> {
  private final MarkerTarget target;

  WriteTxnMarkers(MarkerTarget target) {
    this.target = target;
  }

  @Override
  public void handle(
      RequestContext context,
      WriteTxnMarkersRequest request,
      Reply<WriteTxnMarkersResponse> reply) {
    WriteTxnMarkersResponse response = new WriteTxnMarkersResponse();
    int count = 0;
    for (WriteTxnMarkersRequest.WritableTxnMarker marker : request.markers) {
      for (WriteTxnMarkersRequest.WritableTxnMarkerTopic topic : marker.topics) {
        count += topic.partitionIndexes.size();
      }
    }
    AllOf all = new AllOf(count, () -> reply.send(response));
    for (WriteTxnMarkersRequest.WritableTxnMarker marker : request.markers) {
      WriteTxnMarkersResponse.WritableTxnMarkerResult result =
          new WriteTxnMarkersResponse.WritableTxnMarkerResult();
      result.producerId = marker.producerId;
      response.markers.add(result);
      MarkerRequest wanted =
          new MarkerRequest(
              marker.producerId,
              marker.producerEpoch,
              marker.transactionResult,
              marker.coordinatorEpoch,
              marker.transactionVersion);
      for (WriteTxnMarkersRequest.WritableTxnMarkerTopic topic : marker.topics) {
        result.topics.add(topic(topic, wanted, all));
      }
    }
    all.begun();
  }

  private WriteTxnMarkersResponse.WritableTxnMarkerTopicResult topic(
      WriteTxnMarkersRequest.WritableTxnMarkerTopic topic, MarkerRequest marker, AllOf all) {
    WriteTxnMarkersResponse.WritableTxnMarkerTopicResult result =
        new WriteTxnMarkersResponse.WritableTxnMarkerTopicResult();
    result.name = topic.name;
    for (int index : topic.partitionIndexes) {
      WriteTxnMarkersResponse.WritableTxnMarkerPartitionResult partition =
          new WriteTxnMarkersResponse.WritableTxnMarkerPartitionResult();
      partition.partitionIndex = index;
      result.partitions.add(partition);
      target.write(
          new TopicPartition(topic.name, index),
          marker,
          error -> {
            partition.errorCode = error.code();
            all.oneDone();
          });
    }
    return result;
  }
}
