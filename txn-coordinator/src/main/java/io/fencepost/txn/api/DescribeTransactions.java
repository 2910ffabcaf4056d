package io.fencepost.txn.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.DescribeTransactionsRequest;
import io.fencepost.broker.wire.message.DescribeTransactionsResponse;
import io.fencepost.txn.coordinator.TxnCoordinator;
import io.fencepost.txn.txn.TxnEntry;

/**
 * DescribeTransactions (65), version 0.
 *
 * <ul>
 *   <li>An unknown id: TRANSACTIONAL_ID_NOT_FOUND for it; an empty one: INVALID_REQUEST.
 *   <li>Waits for an end that is under way, so Prepare states are rarely seen.
 * </ul>
 */
final class DescribeTransactions
    implements ApiHandler<DescribeTransactionsRequest, DescribeTransactionsResponse> {
  private final TxnCoordinator coordinator;

  DescribeTransactions(TxnCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public void handle(
      RequestContext context,
      DescribeTransactionsRequest request,
      Reply<DescribeTransactionsResponse> reply) {
    DescribeTransactionsResponse response = new DescribeTransactionsResponse();
    AllOf all = new AllOf(request.transactionalIds.size(), () -> reply.send(response));
    for (String id : request.transactionalIds) {
      DescribeTransactionsResponse.TransactionState state =
          new DescribeTransactionsResponse.TransactionState();
      state.transactionalId = id;
      response.transactionStates.add(state);
      if (id.isEmpty()) {
        state.errorCode = WireError.INVALID_REQUEST.code();
        all.oneDone();
        continue;
      }
      coordinator.describe(
          id,
          (error, entry) -> {
            if (error != WireError.NONE) {
              state.errorCode = error.code();
            } else if (entry == null) {
              state.errorCode = WireError.TRANSACTIONAL_ID_NOT_FOUND.code();
            } else {
              fill(state, entry);
            }
            all.oneDone();
          });
    }
    all.begun();
  }

  private static void fill(DescribeTransactionsResponse.TransactionState state, TxnEntry entry) {
    state.transactionState = entry.state().label();
    state.transactionTimeoutMs = entry.timeoutMs();
    state.transactionStartTimeMs = entry.startMs();
    state.producerId = entry.producer().producerId();
    state.producerEpoch = entry.producer().epoch();
    DescribeTransactionsResponse.TopicData topic = null;
    for (TopicPartition partition : entry.partitions()) {
      if (topic == null || !topic.topic.equals(partition.topic())) {
        topic = new DescribeTransactionsResponse.TopicData();
        topic.topic = partition.topic();
        state.topics.add(topic);
      }
      topic.partitions.add(partition.partition());
    }
  }
}
