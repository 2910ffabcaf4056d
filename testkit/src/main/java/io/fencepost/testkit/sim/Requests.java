package io.fencepost.testkit.sim;

import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.message.AddOffsetsToTxnRequest;
import io.fencepost.broker.wire.message.AddPartitionsToTxnRequest;
import io.fencepost.broker.wire.message.AddPartitionsToTxnResponse;
import io.fencepost.broker.wire.message.CreateTopicsRequest;
import io.fencepost.broker.wire.message.EndTxnRequest;
import io.fencepost.broker.wire.message.FetchRequest;
import io.fencepost.broker.wire.message.FindCoordinatorRequest;
import io.fencepost.broker.wire.message.InitProducerIdRequest;
import io.fencepost.broker.wire.message.OffsetFetchRequest;
import io.fencepost.broker.wire.message.ProduceRequest;
import io.fencepost.broker.wire.message.TxnOffsetCommitRequest;
import io.fencepost.testkit.history.Event.Isolation;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The requests of the model clients. */
final class Requests {
  private static final int FETCH_MAX_BYTES = 4096;
  private static final int FETCH_WAIT_MS = 200;

  /** Key types of FindCoordinator. */
  static final byte GROUP = 0;

  static final byte TRANSACTION = 1;

  /** A session of a producer: who it is. */
  record Identity(String transactionalId, long producerId, short epoch) {}

  private Requests() {}

  static CreateTopicsRequest createTopic(String topic, int partitions) {
    CreateTopicsRequest.CreatableTopic creatable = new CreateTopicsRequest.CreatableTopic();
    creatable.name = topic;
    creatable.numPartitions = partitions;
    creatable.replicationFactor = -1;
    CreateTopicsRequest request = new CreateTopicsRequest();
    request.topics.add(creatable);
    return request;
  }

  static FindCoordinatorRequest findCoordinator(String key, byte keyType) {
    FindCoordinatorRequest request = new FindCoordinatorRequest();
    request.key = key;
    request.keyType = keyType;
    return request;
  }

  static InitProducerIdRequest init(String transactionalId, int timeoutMs) {
    InitProducerIdRequest request = new InitProducerIdRequest();
    request.transactionalId = transactionalId;
    request.transactionTimeoutMs = timeoutMs;
    return request;
  }

  static AddPartitionsToTxnRequest addPartition(Identity who, TopicPartition partition) {
    AddPartitionsToTxnRequest.AddPartitionsToTxnTopic topic =
        new AddPartitionsToTxnRequest.AddPartitionsToTxnTopic();
    topic.name = partition.topic();
    topic.partitions.add(partition.partition());
    AddPartitionsToTxnRequest request = new AddPartitionsToTxnRequest();
    request.v3AndBelowTransactionalId = who.transactionalId();
    request.v3AndBelowProducerId = who.producerId();
    request.v3AndBelowProducerEpoch = who.epoch();
    request.v3AndBelowTopics.add(topic);
    return request;
  }

  /** What an answer to {@link #addPartition} says. */
  static WireError addedPartition(WireMessage response) {
    return WireError.of(
        ((AddPartitionsToTxnResponse) response)
            .resultsByTopicV3AndBelow
            .get(0)
            .resultsByPartition
            .get(0)
            .partitionErrorCode);
  }

  static AddOffsetsToTxnRequest addOffsets(Identity who, String group) {
    AddOffsetsToTxnRequest request = new AddOffsetsToTxnRequest();
    request.transactionalId = who.transactionalId();
    request.producerId = who.producerId();
    request.producerEpoch = who.epoch();
    request.groupId = group;
    return request;
  }

  static ProduceRequest produce(
      Identity who, TopicPartition partition, int baseSequence, List<String> values, long now) {
    BatchWriter batch =
        BatchWriter.at(0).producer(who.producerId(), who.epoch(), baseSequence).transactional();
    for (String value : values) {
      batch.add(now, null, value.getBytes(StandardCharsets.UTF_8));
    }
    ProduceRequest.PartitionProduceData data = new ProduceRequest.PartitionProduceData();
    data.index = partition.partition();
    data.records = Bytes.of(batch.build());
    ProduceRequest.TopicProduceData topic = new ProduceRequest.TopicProduceData();
    topic.name = partition.topic();
    topic.partitionData.add(data);
    ProduceRequest request = new ProduceRequest();
    request.transactionalId = who.transactionalId();
    request.acks = -1;
    request.timeoutMs = 30_000;
    request.topicData.add(topic);
    return request;
  }

  static TxnOffsetCommitRequest stage(
      Identity who, String group, TopicPartition partition, long offset) {
    TxnOffsetCommitRequest.TxnOffsetCommitRequestPartition committed =
        new TxnOffsetCommitRequest.TxnOffsetCommitRequestPartition();
    committed.partitionIndex = partition.partition();
    committed.committedOffset = offset;
    TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic topic =
        new TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic();
    topic.name = partition.topic();
    topic.partitions.add(committed);
    TxnOffsetCommitRequest request = new TxnOffsetCommitRequest();
    request.transactionalId = who.transactionalId();
    request.producerId = who.producerId();
    request.producerEpoch = who.epoch();
    request.groupId = group;
    request.topics.add(topic);
    return request;
  }

  static EndTxnRequest end(Identity who, boolean commit) {
    EndTxnRequest request = new EndTxnRequest();
    request.transactionalId = who.transactionalId();
    request.producerId = who.producerId();
    request.producerEpoch = who.epoch();
    request.committed = commit;
    return request;
  }

  static OffsetFetchRequest committedOffset(String group, TopicPartition partition) {
    OffsetFetchRequest.OffsetFetchRequestTopic topic =
        new OffsetFetchRequest.OffsetFetchRequestTopic();
    topic.name = partition.topic();
    topic.partitionIndexes.add(partition.partition());
    OffsetFetchRequest request = new OffsetFetchRequest();
    request.groupId = group;
    request.topics = List.of(topic);
    request.requireStable = true;
    return request;
  }

  static FetchRequest fetch(TopicPartition partition, long offset, Isolation isolation) {
    FetchRequest.FetchPartition wanted = new FetchRequest.FetchPartition();
    wanted.partition = partition.partition();
    wanted.fetchOffset = offset;
    wanted.partitionMaxBytes = FETCH_MAX_BYTES;
    FetchRequest.FetchTopic topic = new FetchRequest.FetchTopic();
    topic.topic = partition.topic();
    topic.partitions.add(wanted);
    FetchRequest request = new FetchRequest();
    request.maxWaitMs = FETCH_WAIT_MS;
    request.minBytes = 1;
    request.isolationLevel = (byte) (isolation == Isolation.READ_COMMITTED ? 1 : 0);
    request.topics.add(topic);
    return request;
  }
}
