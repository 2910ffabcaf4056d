package io.fencepost.txn.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.EndTxnRequest;
import io.fencepost.broker.wire.message.EndTxnResponse;
import io.fencepost.txn.coordinator.TxnCoordinator;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnEvent;

/**
 * EndTxn (26), versions 0 to 5.
 *
 * <ul>
 *   <li>Answered when the markers are in every partition, the offsets partition included: what
 *       follows never meets the old transaction. (Kafka answers when the decision is logged.)
 *   <li>The same end again succeeds, the opposite is INVALID_TXN_STATE.
 *   <li>v2 PRODUCER_FENCED instead of INVALID_PRODUCER_EPOCH; v3 flexible; v4 TRANSACTION_ABORTABLE
 *       (never sent here); v5 each end raises the epoch and the answer tells the identity to go on
 *       with (KIP-890).
 * </ul>
 */
final class EndTxn implements ApiHandler<EndTxnRequest, EndTxnResponse> {
  private static final int RAISES_EPOCH = 5;

  private final TxnCoordinator coordinator;

  EndTxn(TxnCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public void handle(RequestContext context, EndTxnRequest request, Reply<EndTxnResponse> reply) {
    int version = context.apiVersion();
    if (request.transactionalId.isEmpty()) {
      reply.send(response(WireError.INVALID_REQUEST));
      return;
    }
    TxnEvent.End event =
        new TxnEvent.End(
            new ProducerIdentity(request.producerId, request.producerEpoch),
            request.committed,
            version >= RAISES_EPOCH ? 2 : 0);
    coordinator.handle(
        request.transactionalId,
        event,
        (error, entry) -> {
          EndTxnResponse response = response(OldCodes.fencedSince(2, version, error));
          if (entry != null && version >= RAISES_EPOCH) {
            response.producerId = entry.producer().producerId();
            response.producerEpoch = entry.producer().epoch();
          }
          reply.send(response);
        });
  }

  private static EndTxnResponse response(WireError error) {
    EndTxnResponse response = new EndTxnResponse();
    response.errorCode = error.code();
    return response;
  }
}
