package io.fencepost.broker.api;

import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.replica.EpochAnswer;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.replica.Replicas;
import io.fencepost.broker.wire.message.OffsetForLeaderEpochRequest;
import io.fencepost.broker.wire.message.OffsetForLeaderEpochRequest.OffsetForLeaderPartition;
import io.fencepost.broker.wire.message.OffsetForLeaderEpochRequest.OffsetForLeaderTopic;
import io.fencepost.broker.wire.message.OffsetForLeaderEpochResponse;
import io.fencepost.broker.wire.message.OffsetForLeaderEpochResponse.EpochEndOffset;
import io.fencepost.broker.wire.message.OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult;

/**
 * OffsetForLeaderEpoch (key 23), versions 2 to 4: where the log of a leader epoch ended, so that a
 * reader notices if what it read was cut off. An epoch that is too new is answered by -1 and -1.
 *
 * <pre>
 * 2   current leader epoch      3   replica id, ignored      4   flexible
 * </pre>
 */
public final class OffsetForLeaderEpoch
    implements ApiHandler<OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse> {
  private final PartitionLookup lookup;

  public OffsetForLeaderEpoch(ClusterView cluster, Replicas replicas) {
    this.lookup = new PartitionLookup(cluster, replicas);
  }

  @Override
  public void handle(
      RequestContext context,
      OffsetForLeaderEpochRequest request,
      Reply<OffsetForLeaderEpochResponse> reply) {
    OffsetForLeaderEpochResponse response = new OffsetForLeaderEpochResponse();
    for (OffsetForLeaderTopic topic : request.topics) {
      OffsetForLeaderTopicResult result = new OffsetForLeaderTopicResult();
      result.topic = topic.topic;
      response.topics.add(result);
      for (OffsetForLeaderPartition wish : topic.partitions) {
        result.partitions.add(find(topic.topic, wish));
      }
    }
    reply.send(response);
  }

  private EpochEndOffset find(String topic, OffsetForLeaderPartition wish) {
    EpochEndOffset answer = new EpochEndOffset();
    answer.partition = wish.partition;
    PartitionGate gate = lookup.find(topic, wish.partition);
    if (gate == null) {
      answer.errorCode = lookup.whyMissing(topic, wish.partition).code();
      return answer;
    }
    EpochAnswer found = gate.endOfEpoch(wish.leaderEpoch, wish.currentLeaderEpoch);
    answer.errorCode = found.error().code();
    answer.leaderEpoch = found.leaderEpoch();
    answer.endOffset = found.endOffset();
    return answer;
  }
}
