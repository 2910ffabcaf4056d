package io.fencepost.broker.api;

import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.replica.Replicas;
import io.fencepost.broker.replica.TransactionGate;
import io.fencepost.broker.wire.message.ProduceRequest;
import io.fencepost.broker.wire.message.ProduceResponse;
import org.jspecify.annotations.Nullable;

/**
 * Produce (key 0), versions 3 to 13: appends one batch to each of some partitions.
 *
 * <p>acks -1 and 1 are answered when the batch is as durable as the topic's flush setting says, 0
 * is not answered; an error then closes the connection. The first batch of a transaction in a
 * partition is admitted by the transaction coordinator. Batches are appended as they came.
 *
 * <pre>
 * 3   transactional id, record format 2      10  current leader with NOT_LEADER_OR_FOLLOWER
 * 4   KAFKA_STORAGE_ERROR                     11  TRANSACTION_ABORTABLE, before: INVALID_TXN_STATE
 * 5   log start offset                        12  adds partitions to the transaction by itself
 * 7   zstd                                    13  topic ids; UNKNOWN_TOPIC_ID
 * 8   error message                           9   flexible
 * </pre>
 */
public final class Produce implements ApiHandler<ProduceRequest, ProduceResponse> {
  private final PartitionLookup lookup;
  private final @Nullable TransactionGate transactions;

  /**
   * @param transactions null if there is no coordinator: then no transactional batch is let in
   */
  public Produce(ClusterView cluster, Replicas replicas, @Nullable TransactionGate transactions) {
    this.lookup = new PartitionLookup(cluster, replicas);
    this.transactions = transactions;
  }

  @Override
  public void handle(RequestContext context, ProduceRequest request, Reply<ProduceResponse> reply) {
    new ProduceCall(lookup, transactions, context.apiVersion(), request, reply).start();
  }
}
