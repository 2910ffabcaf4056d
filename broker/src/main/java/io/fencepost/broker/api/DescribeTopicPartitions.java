package io.fencepost.broker.api;

import io.fencepost.broker.cluster.ClusterState;
import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.DescribeTopicPartitionsRequest;
import io.fencepost.broker.wire.message.DescribeTopicPartitionsResponse;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * DescribeTopicPartitions, v0: topics with their partitions, page by page in order of name. No
 * topics asked for means all. The cursor says where a page begins; the answer says where the next
 * one does.
 */
final class DescribeTopicPartitions
    implements ApiHandler<DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse> {
  private static final int MAX_PARTITIONS = 2000;

  private final ClusterView cluster;

  DescribeTopicPartitions(ClusterView cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(
      RequestContext context,
      DescribeTopicPartitionsRequest request,
      Reply<DescribeTopicPartitionsResponse> reply) {
    ClusterState state = cluster.state();
    TreeSet<String> names = new TreeSet<>();
    request.topics.forEach(topic -> names.add(topic.name));
    if (request.topics.isEmpty()) {
      names.addAll(state.topics().keySet());
    }
    int room = Math.max(1, Math.min(MAX_PARTITIONS, request.responsePartitionLimit));
    DescribeTopicPartitionsRequest.Cursor cursor = request.cursor;
    DescribeTopicPartitionsResponse response = new DescribeTopicPartitionsResponse();
    for (String name : cursor == null ? names : names.tailSet(cursor.topicName)) {
      boolean resumed = cursor != null && cursor.topicName.equals(name);
      int first = resumed && cursor != null ? Math.max(0, cursor.partitionIndex) : 0;
      TopicState topic = state.topic(name);
      int count = topic == null ? 0 : topic.partitions().size();
      if (room == 0) {
        response.nextCursor = next(name, first);
        break;
      }
      int end = Math.min(count, first + room);
      response.topics.add(describe(name, topic, first, end, state.brokers().keySet()));
      room -= Math.max(0, end - first);
      if (end < count) {
        response.nextCursor = next(name, end);
        break;
      }
    }
    reply.send(response);
  }

  private static DescribeTopicPartitionsResponse.Cursor next(String topic, int partition) {
    DescribeTopicPartitionsResponse.Cursor cursor = new DescribeTopicPartitionsResponse.Cursor();
    cursor.topicName = topic;
    cursor.partitionIndex = partition;
    return cursor;
  }

  private static DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic describe(
      String name,
      @org.jspecify.annotations.Nullable TopicState topic,
      int first,
      int end,
      Set<Integer> brokers) {
    var answer = new DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic();
    answer.name = name;
    if (topic == null) {
      answer.errorCode = WireError.UNKNOWN_TOPIC_OR_PARTITION.code();
      return answer;
    }
    answer.topicId = topic.id();
    answer.isInternal = topic.internal();
    answer.topicAuthorizedOperations = AuthorizedOperations.TOPIC;
    for (int i = first; i < end; i++) {
      PartitionState state = topic.partitions().get(i);
      var partition =
          new DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponsePartition();
      partition.partitionIndex = i;
      boolean isLed = brokers.contains(state.leader());
      partition.leaderId = isLed ? state.leader() : PartitionState.NO_LEADER;
      partition.leaderEpoch = state.leaderEpoch();
      partition.replicaNodes = state.replicas();
      partition.isrNodes = state.isr();
      partition.eligibleLeaderReplicas = state.eligible();
      partition.lastKnownElr =
          state.lastLeader() == PartitionState.NO_LEADER ? List.of() : List.of(state.lastLeader());
      if (!isLed) {
        partition.errorCode = WireError.LEADER_NOT_AVAILABLE.code();
      }
      partition.offlineReplicas =
          state.replicas().stream().filter(replica -> !brokers.contains(replica)).toList();
      answer.partitions.add(partition);
    }
    return answer;
  }
}
