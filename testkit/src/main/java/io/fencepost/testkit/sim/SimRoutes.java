package io.fencepost.testkit.sim;

import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.cluster.TopicNames;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.message.AddOffsetsToTxnRequest;
import io.fencepost.broker.wire.message.AddPartitionsToTxnRequest;
import io.fencepost.broker.wire.message.ConsumerGroupHeartbeatRequest;
import io.fencepost.broker.wire.message.EndTxnRequest;
import io.fencepost.broker.wire.message.FetchRequest;
import io.fencepost.broker.wire.message.InitProducerIdRequest;
import io.fencepost.broker.wire.message.OffsetCommitRequest;
import io.fencepost.broker.wire.message.OffsetFetchRequest;
import io.fencepost.broker.wire.message.ProduceRequest;
import io.fencepost.broker.wire.message.TxnOffsetCommitRequest;
import io.fencepost.txn.shard.ShardMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Which broker a client asks for what, by the newest metadata. */
final class SimRoutes {
  private final Function<TopicPartition, @Nullable PartitionState> states;

  SimRoutes(Function<TopicPartition, @Nullable PartitionState> states) {
    this.states = states;
  }

  /** Null if any broker will do, or nobody leads. */
  @Nullable Integer leaderFor(
      WireMessage request, Function<String, @Nullable Integer> partitionCount) {
    TopicPartition partition = partitionFor(request, partitionCount);
    PartitionState state = partition == null ? null : states.apply(partition);
    return state == null || state.leader() == PartitionState.NO_LEADER ? null : state.leader();
  }

  private static @Nullable TopicPartition partitionFor(
      WireMessage request, Function<String, @Nullable Integer> partitionCount) {
    if (request instanceof ProduceRequest it) {
      ProduceRequest.TopicProduceData topic = it.topicData.get(0);
      return new TopicPartition(topic.name, topic.partitionData.get(0).index);
    } else if (request instanceof FetchRequest it) {
      FetchRequest.FetchTopic topic = it.topics.get(0);
      return new TopicPartition(topic.topic, topic.partitions.get(0).partition);
    }
    String id = transactionalId(request);
    String topic = id == null ? TopicNames.OFFSETS : TopicNames.TRANSACTIONS;
    String key = id == null ? groupId(request) : id;
    Integer count = key == null ? null : partitionCount.apply(topic);
    return key == null || count == null
        ? null
        : new TopicPartition(topic, ShardMap.partitionFor(key, count));
  }

  private static @Nullable String transactionalId(WireMessage request) {
    if (request instanceof InitProducerIdRequest it) {
      return it.transactionalId;
    } else if (request instanceof AddPartitionsToTxnRequest it) {
      return it.v3AndBelowTransactionalId;
    } else if (request instanceof AddOffsetsToTxnRequest it) {
      return it.transactionalId;
    } else if (request instanceof EndTxnRequest it) {
      return it.transactionalId;
    }
    return null;
  }

  private static @Nullable String groupId(WireMessage request) {
    if (request instanceof TxnOffsetCommitRequest it) {
      return it.groupId;
    } else if (request instanceof OffsetFetchRequest it) {
      return it.groupId;
    } else if (request instanceof OffsetCommitRequest it) {
      return it.groupId;
    } else if (request instanceof ConsumerGroupHeartbeatRequest it) {
      return it.groupId;
    }
    return null;
  }
}
