package io.fencepost.broker.api;

import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.replica.ActiveProducer;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.replica.Replicas;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.DescribeProducersRequest;
import io.fencepost.broker.wire.message.DescribeProducersRequest.TopicRequest;
import io.fencepost.broker.wire.message.DescribeProducersResponse;
import io.fencepost.broker.wire.message.DescribeProducersResponse.PartitionResponse;
import io.fencepost.broker.wire.message.DescribeProducersResponse.ProducerState;
import io.fencepost.broker.wire.message.DescribeProducersResponse.TopicResponse;

/**
 * DescribeProducers (key 61), version 0 (KIP-664): what a partition knows of its producers, and
 * where their open transactions begin. The last timestamp is when the broker last heard of them.
 */
public final class DescribeProducers
    implements ApiHandler<DescribeProducersRequest, DescribeProducersResponse> {
  private final PartitionLookup lookup;

  public DescribeProducers(ClusterView cluster, Replicas replicas) {
    this.lookup = new PartitionLookup(cluster, replicas);
  }

  @Override
  public void handle(
      RequestContext context,
      DescribeProducersRequest request,
      Reply<DescribeProducersResponse> reply) {
    DescribeProducersResponse response = new DescribeProducersResponse();
    for (TopicRequest topic : request.topics) {
      TopicResponse answer = new TopicResponse();
      answer.name = topic.name;
      response.topics.add(answer);
      for (int partition : topic.partitionIndexes) {
        PartitionResponse described = describe(topic.name, partition);
        reply.claim((long) described.activeProducers.size() * Reply.STRUCT_BYTES);
        answer.partitions.add(described);
      }
    }
    reply.send(response);
  }

  private PartitionResponse describe(String topic, int partition) {
    PartitionResponse answer = new PartitionResponse();
    answer.partitionIndex = partition;
    PartitionGate gate = lookup.find(topic, partition);
    if (gate == null) {
      WireError why = lookup.whyMissing(topic, partition);
      answer.errorCode = why.code();
      answer.errorMessage = topic + "-" + partition + ": " + why.sentence();
      return answer;
    }
    for (ActiveProducer producer : gate.activeProducers()) {
      ProducerState state = new ProducerState();
      state.producerId = producer.producerId();
      state.producerEpoch = producer.producerEpoch();
      state.lastSequence = producer.lastSequence();
      state.lastTimestamp = producer.lastSeenMs();
      state.coordinatorEpoch = producer.coordinatorEpoch();
      state.currentTxnStartOffset = producer.openFirstOffset();
      answer.activeProducers.add(state);
    }
    return answer;
  }
}
