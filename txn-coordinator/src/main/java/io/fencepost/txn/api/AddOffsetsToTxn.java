package io.fencepost.txn.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.cluster.BrokerMetadata;
import io.fencepost.broker.cluster.TopicNames;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.AddOffsetsToTxnRequest;
import io.fencepost.broker.wire.message.AddOffsetsToTxnResponse;
import io.fencepost.txn.coordinator.TxnCoordinator;
import io.fencepost.txn.shard.ShardMap;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnEvent;
import java.util.List;
import java.util.TreeSet;

/**
 * AddOffsetsToTxn (25), versions 0 to 4.
 *
 * <ul>
 *   <li>Adds the offsets partition of the group to the transaction, like any other partition.
 *   <li>v2 PRODUCER_FENCED instead of INVALID_PRODUCER_EPOCH; v3 flexible; v4 TRANSACTION_ABORTABLE
 *       (never sent here).
 * </ul>
 */
final class AddOffsetsToTxn implements ApiHandler<AddOffsetsToTxnRequest, AddOffsetsToTxnResponse> {
  private final TxnCoordinator coordinator;
  private final BrokerMetadata cluster;

  AddOffsetsToTxn(TxnCoordinator coordinator, BrokerMetadata cluster) {
    this.coordinator = coordinator;
    this.cluster = cluster;
  }

  @Override
  public void handle(
      RequestContext context,
      AddOffsetsToTxnRequest request,
      Reply<AddOffsetsToTxnResponse> reply) {
    if (request.transactionalId.isEmpty()) {
      send(reply, WireError.INVALID_REQUEST);
      return;
    }
    cluster.ensureInternalTopic(
        TopicNames.OFFSETS,
        error -> {
          TopicState offsets = cluster.state().topic(TopicNames.OFFSETS);
          if (error != WireError.NONE || offsets == null) {
            send(reply, WireError.COORDINATOR_NOT_AVAILABLE);
            return;
          }
          int partition = ShardMap.partitionFor(request.groupId, offsets.partitions().size());
          coordinator.handle(
              request.transactionalId,
              new TxnEvent.AddPartitions(
                  new ProducerIdentity(request.producerId, request.producerEpoch),
                  new TreeSet<>(List.of(new TopicPartition(TopicNames.OFFSETS, partition))),
                  0),
              (outcome, entry) ->
                  send(reply, OldCodes.fencedSince(2, context.apiVersion(), outcome)));
        });
  }

  private static void send(Reply<AddOffsetsToTxnResponse> reply, WireError error) {
    AddOffsetsToTxnResponse response = new AddOffsetsToTxnResponse();
    response.errorCode = error.code();
    reply.send(response);
  }
}
