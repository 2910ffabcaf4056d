package io.fencepost.broker.api;

import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.replica.Isolation;
import io.fencepost.broker.replica.OffsetAnswer;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.replica.Replicas;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.ListOffsetsRequest;
import io.fencepost.broker.wire.message.ListOffsetsRequest.ListOffsetsPartition;
import io.fencepost.broker.wire.message.ListOffsetsRequest.ListOffsetsTopic;
import io.fencepost.broker.wire.message.ListOffsetsResponse;
import io.fencepost.broker.wire.message.ListOffsetsResponse.ListOffsetsPartitionResponse;
import io.fencepost.broker.wire.message.ListOffsetsResponse.ListOffsetsTopicResponse;
import java.util.TreeSet;

/**
 * ListOffsets (key 2), versions 1 to 11: the offset of the first record at or after a time, or of a
 * place: latest (-1), earliest (-2), greatest timestamp (-3), earliest local (-4, the same as
 * earliest), latest tiered (-5) and earliest to be uploaded (-6), which do not exist here.
 *
 * <p>The latest offset is the high watermark, or the last stable offset for read_committed. Nothing
 * found is no error: offset and timestamp are -1.
 *
 * <pre>
 * 2   isolation level        6   flexible      8   -4      10   timeout, not needed here
 * 4   leader epochs          7   -3            9   -5      11   -6
 * </pre>
 */
public final class ListOffsets implements ApiHandler<ListOffsetsRequest, ListOffsetsResponse> {
  /** The first version whose answer has room for the leader epoch. */
  /** From here on a client knows that a new leader needs a moment (KIP-207). */
  private static final int NOT_AVAILABLE = 5;

  private static final int LEADER_EPOCH = 4;

  private static final byte READ_COMMITTED = 1;

  /** First version that knows the special time -1, -2 and so on. */
  private static final int[] FIRST_VERSIONS = {1, 1, 7, 8, 9, 11};

  private final PartitionLookup lookup;

  public ListOffsets(ClusterView cluster, Replicas replicas) {
    this.lookup = new PartitionLookup(cluster, replicas);
  }

  @Override
  public void handle(
      RequestContext context, ListOffsetsRequest request, Reply<ListOffsetsResponse> reply) {
    Isolation isolation =
        request.isolationLevel == READ_COMMITTED ? Isolation.COMMITTED : Isolation.HIGH_WATERMARK;
    TreeSet<TopicPartition> repeated = repeated(request);
    ListOffsetsResponse response = new ListOffsetsResponse();
    for (ListOffsetsTopic topic : request.topics) {
      ListOffsetsTopicResponse topicAnswer = new ListOffsetsTopicResponse();
      topicAnswer.name = topic.name;
      response.topics.add(topicAnswer);
      for (ListOffsetsPartition wish : topic.partitions) {
        ListOffsetsPartitionResponse answer = new ListOffsetsPartitionResponse();
        answer.partitionIndex = wish.partitionIndex;
        topicAnswer.partitions.add(answer);
        if (repeated.contains(new TopicPartition(topic.name, wish.partitionIndex))) {
          answer.errorCode = WireError.INVALID_REQUEST.code();
        } else if (!isKnown(wish.timestamp, context.apiVersion())) {
          answer.errorCode = WireError.UNSUPPORTED_VERSION.code();
        } else {
          find(topic.name, wish, isolation, answer);
          if (context.apiVersion() < LEADER_EPOCH) {
            answer.leaderEpoch = -1;
          }
          boolean isNew = answer.errorCode == WireError.OFFSET_NOT_AVAILABLE.code();
          if (isNew && context.apiVersion() < NOT_AVAILABLE) {
            answer.errorCode = WireError.LEADER_NOT_AVAILABLE.code();
          }
        }
      }
    }
    reply.send(response);
  }

  private static TreeSet<TopicPartition> repeated(ListOffsetsRequest request) {
    TreeSet<TopicPartition> seen = new TreeSet<>();
    TreeSet<TopicPartition> repeated = new TreeSet<>();
    for (ListOffsetsTopic topic : request.topics) {
      for (ListOffsetsPartition wish : topic.partitions) {
        TopicPartition named = new TopicPartition(topic.name, wish.partitionIndex);
        if (!seen.add(named)) {
          repeated.add(named);
        }
      }
    }
    return repeated;
  }

  private static boolean isKnown(long timestamp, int version) {
    return timestamp >= 0
        || (timestamp >= -FIRST_VERSIONS.length
            && version >= FIRST_VERSIONS[(int) (-timestamp - 1)]);
  }

  private void find(
      String topic,
      ListOffsetsPartition wish,
      Isolation isolation,
      ListOffsetsPartitionResponse answer) {
    PartitionGate gate = lookup.find(topic, wish.partitionIndex);
    if (gate == null) {
      answer.errorCode = lookup.whyMissing(topic, wish.partitionIndex).code();
      return;
    }
    OffsetAnswer found = gate.offsetFor(wish.timestamp, isolation, wish.currentLeaderEpoch);
    answer.errorCode = found.error().code();
    answer.timestamp = found.timestamp();
    answer.offset = found.offset();
    answer.leaderEpoch = found.leaderEpoch();
  }
}
