package io.fencepost.txn.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.AddPartitionsToTxnRequest;
import io.fencepost.broker.wire.message.AddPartitionsToTxnResponse;
import io.fencepost.txn.coordinator.TxnCoordinator;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnEvent;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * AddPartitionsToTxn (24), versions 0 to 5.
 *
 * <ul>
 *   <li>Answered when the partitions are durable in the coordinator's log.
 *   <li>A partition that does not exist: UNKNOWN_TOPIC_OR_PARTITION for it, OPERATION_NOT_ATTEMPTED
 *       for the others, and nothing is added.
 *   <li>v2 PRODUCER_FENCED instead of INVALID_PRODUCER_EPOCH; v3 flexible; v4, between brokers,
 *       several transactions at once, and verify only; v5 TRANSACTION_ABORTABLE.
 * </ul>
 */
final class AddPartitionsToTxn
    implements ApiHandler<AddPartitionsToTxnRequest, AddPartitionsToTxnResponse> {
  private static final int BATCHED = 4;

  private final TxnCoordinator coordinator;
  private final ClusterView cluster;

  AddPartitionsToTxn(TxnCoordinator coordinator, ClusterView cluster) {
    this.coordinator = coordinator;
    this.cluster = cluster;
  }

  @Override
  public void handle(
      RequestContext context,
      AddPartitionsToTxnRequest request,
      Reply<AddPartitionsToTxnResponse> reply) {
    AddPartitionsToTxnResponse response = new AddPartitionsToTxnResponse();
    if (context.apiVersion() < BATCHED) {
      AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction single =
          new AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction();
      single.transactionalId = request.v3AndBelowTransactionalId;
      single.producerId = request.v3AndBelowProducerId;
      single.producerEpoch = request.v3AndBelowProducerEpoch;
      single.topics = request.v3AndBelowTopics;
      one(
          single,
          verdicts -> {
            verdicts.replaceAll(
                (partition, error) -> OldCodes.fencedSince(2, context.apiVersion(), error));
            fill(response.resultsByTopicV3AndBelow, verdicts);
            reply.send(response);
          });
      return;
    }
    AllOf all = new AllOf(request.transactions.size(), () -> reply.send(response));
    for (AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction transaction :
        request.transactions) {
      AddPartitionsToTxnResponse.AddPartitionsToTxnResult result =
          new AddPartitionsToTxnResponse.AddPartitionsToTxnResult();
      result.transactionalId = transaction.transactionalId;
      response.resultsByTransaction.add(result);
      one(
          transaction,
          verdicts -> {
            fill(result.topicResults, verdicts);
            all.oneDone();
          });
    }
    all.begun();
  }

  private void one(
      AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction transaction,
      Consumer<SortedMap<TopicPartition, WireError>> answer) {
    TreeMap<TopicPartition, WireError> verdicts = new TreeMap<>();
    TreeSet<TopicPartition> partitions = new TreeSet<>();
    for (AddPartitionsToTxnRequest.AddPartitionsToTxnTopic topic : transaction.topics) {
      topic.partitions.forEach(id -> partitions.add(new TopicPartition(topic.name, id)));
    }
    boolean isSomeUnknown = false;
    for (TopicPartition partition : partitions) {
      boolean isKnown = cluster.state().partition(partition) != null;
      isSomeUnknown |= !isKnown;
      verdicts.put(
          partition,
          isKnown ? WireError.OPERATION_NOT_ATTEMPTED : WireError.UNKNOWN_TOPIC_OR_PARTITION);
    }
    ProducerIdentity producer =
        new ProducerIdentity(transaction.producerId, transaction.producerEpoch);
    if (transaction.transactionalId.isEmpty()) {
      verdicts.replaceAll((partition, error) -> WireError.INVALID_REQUEST);
      answer.accept(verdicts);
    } else if (isSomeUnknown) {
      answer.accept(verdicts);
    } else if (transaction.verifyOnly) {
      coordinator.verify(transaction.transactionalId, producer, partitions, answer);
    } else {
      coordinator.handle(
          transaction.transactionalId,
          new TxnEvent.AddPartitions(producer, partitions, 0),
          (error, entry) -> {
            verdicts.replaceAll((partition, none) -> error);
            answer.accept(verdicts);
          });
    }
  }

  private static void fill(
      List<AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult> topics,
      SortedMap<TopicPartition, WireError> verdicts) {
    AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult topic = null;
    for (Map.Entry<TopicPartition, WireError> verdict : verdicts.entrySet()) {
      if (topic == null || !topic.name.equals(verdict.getKey().topic())) {
        topic = new AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult();
        topic.name = verdict.getKey().topic();
        topics.add(topic);
      }
      AddPartitionsToTxnResponse.AddPartitionsToTxnPartitionResult partition =
          new AddPartitionsToTxnResponse.AddPartitionsToTxnPartitionResult();
      partition.partitionIndex = verdict.getKey().partition();
      partition.partitionErrorCode = verdict.getValue().code();
      topic.resultsByPartition.add(partition);
    }
  }
}
