package io.fencepost.txn.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.InitProducerIdRequest;
import io.fencepost.broker.wire.message.InitProducerIdResponse;
import io.fencepost.txn.coordinator.TxnCoordinator;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnEvent;

/**
 * InitProducerId (22), versions 0 to 5.
 *
 * <ul>
 *   <li>Without transactional id: a fresh producer id each time, the timeout is not looked at.
 *   <li>With one: fences all earlier producers of it. An open transaction is aborted first, and the
 *       answer waits for that instead of CONCURRENT_TRANSACTIONS; the abort's marker carries epoch
 *       + 1, the answer epoch + 2.
 *   <li>v2 flexible; v3 the producer may say who it is and goes on with the next epoch, a repeated
 *       request gets the same answer (KIP-360); v4 PRODUCER_FENCED instead of
 *       INVALID_PRODUCER_EPOCH; v5 TRANSACTION_ABORTABLE (never sent here). v6 (KIP-939) is not
 *       served.
 * </ul>
 */
final class InitProducerId implements ApiHandler<InitProducerIdRequest, InitProducerIdResponse> {
  private final TxnCoordinator coordinator;

  InitProducerId(TxnCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public void handle(
      RequestContext context, InitProducerIdRequest request, Reply<InitProducerIdResponse> reply) {
    ProducerIdentity claimed = new ProducerIdentity(request.producerId, request.producerEpoch);
    String id = request.transactionalId;
    if (claimed.producerId() < 0 != claimed.epoch() < 0 || (id != null && id.isEmpty())) {
      reply.send(response(WireError.INVALID_REQUEST, ProducerIdentity.NONE));
    } else if (id == null) {
      reply.send(response(WireError.NONE, coordinator.freshIdentity()));
    } else {
      coordinator.handle(
          id,
          new TxnEvent.Init(
              id,
              claimed.producerId() < 0 ? ProducerIdentity.NONE : claimed,
              request.transactionTimeoutMs),
          (error, entry) ->
              reply.send(
                  response(
                      OldCodes.fencedSince(4, context.apiVersion(), error),
                      entry == null ? ProducerIdentity.NONE : entry.producer())));
    }
  }

  private static InitProducerIdResponse response(WireError error, ProducerIdentity producer) {
    InitProducerIdResponse response = new InitProducerIdResponse();
    response.errorCode = error.code();
    response.producerId = producer.producerId();
    response.producerEpoch = producer.epoch();
    return response;
  }
}
