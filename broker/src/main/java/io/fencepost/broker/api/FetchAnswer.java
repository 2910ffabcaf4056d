package io.fencepost.broker.api;

import io.fencepost.broker.cluster.BrokerNode;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.log.AbortedTxn;
import io.fencepost.broker.replica.FetchResult;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.FetchResponse;
import io.fencepost.broker.wire.message.FetchResponse.AbortedTransaction;
import io.fencepost.broker.wire.message.FetchResponse.FetchableTopicResponse;
import io.fencepost.broker.wire.message.FetchResponse.PartitionData;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** From what was read to the response; within a session only what is news to the reader. */
final class FetchAnswer {
  private static final int FIRST_WITH_LEADER_HINT = 16;

  private final FetchSessions sessions;
  private final FetchSessions.Plan plan;
  private final PartitionLookup lookup;
  private final int version;

  FetchAnswer(
      FetchSessions sessions, FetchSessions.Plan plan, PartitionLookup lookup, int version) {
    this.sessions = sessions;
    this.plan = plan;
    this.lookup = lookup;
    this.version = version;
  }

  FetchResponse of(FetchReader.Reads reads) {
    FetchResponse response = new FetchResponse();
    response.errorCode = plan.error().code();
    response.sessionId = plan.sessionId();
    Map<FetchTarget.Key, FetchableTopicResponse> topics = new LinkedHashMap<>();
    List<FetchTarget> served = new ArrayList<>(0);
    for (FetchReader.Read read : reads.reads()) {
      FetchTarget target = read.target();
      FetchResult result = read.result();
      boolean hasRecords = result.records().sizeBytes() > 0;
      boolean isNews = tell(target, result);
      if (hasRecords) {
        served.add(target);
      }
      if (hasRecords || isNews || !plan.isIncremental()) {
        PartitionData data = partition(target, result);
        topicOf(target, topics, response).partitions.add(data);
        if (version >= FIRST_WITH_LEADER_HINT && isElsewhere(result.error())) {
          hintLeader(target, data, response);
        }
      }
    }
    FetchSession session = plan.session();
    if (session != null) {
      sessions.served(session, served);
    }
    return response;
  }

  private static boolean isElsewhere(WireError error) {
    return error == WireError.NOT_LEADER_OR_FOLLOWER || error == WireError.FENCED_LEADER_EPOCH;
  }

  /** Who asked a broker that does not lead is told at once who does (KIP-951). */
  private void hintLeader(FetchTarget target, PartitionData data, FetchResponse response) {
    String topic = lookup.nameOf(target.key().topicId());
    PartitionState state = topic == null ? null : lookup.stateOf(topic, target.key().partition());
    if (state == null) {
      return;
    }
    data.currentLeader.leaderId = state.leader();
    data.currentLeader.leaderEpoch = state.leaderEpoch();
    BrokerNode node = lookup.broker(state.leader());
    boolean isTold =
        response.nodeEndpoints.stream().anyMatch(known -> known.nodeId == state.leader());
    if (node != null && !isTold) {
      FetchResponse.NodeEndpoint endpoint = new FetchResponse.NodeEndpoint();
      endpoint.nodeId = node.id();
      endpoint.host = node.host();
      endpoint.port = node.port();
      endpoint.rack = node.rack();
      response.nodeEndpoints.add(endpoint);
    }
  }

  private static boolean tell(FetchTarget target, FetchResult result) {
    if (result.error() != WireError.NONE) {
      target.forgetTold();
      return true;
    }
    return target.tell(result.highWatermark(), result.logStartOffset());
  }

  private static FetchableTopicResponse topicOf(
      FetchTarget target,
      Map<FetchTarget.Key, FetchableTopicResponse> topics,
      FetchResponse response) {
    FetchTarget.Key ofTopic = new FetchTarget.Key(target.key().topic(), target.key().topicId(), 0);
    FetchableTopicResponse topic = topics.get(ofTopic);
    if (topic == null) {
      topic = new FetchableTopicResponse();
      topic.topic = ofTopic.topic();
      topic.topicId = ofTopic.topicId();
      topics.put(ofTopic, topic);
      response.responses.add(topic);
    }
    return topic;
  }

  private static PartitionData partition(FetchTarget target, FetchResult result) {
    PartitionData data = new PartitionData();
    data.partitionIndex = target.key().partition();
    data.errorCode = result.error().code();
    data.highWatermark = result.highWatermark();
    data.lastStableOffset = result.lastStableOffset();
    data.logStartOffset = result.logStartOffset();
    data.records = result.records();
    data.abortedTransactions = aborted(result.aborted());
    return data;
  }

  private static @Nullable List<AbortedTransaction> aborted(@Nullable List<AbortedTxn> found) {
    if (found == null) {
      return null;
    }
    List<AbortedTransaction> list = new ArrayList<>(found.size());
    for (AbortedTxn txn : found) {
      AbortedTransaction entry = new AbortedTransaction();
      entry.producerId = txn.producerId();
      entry.firstOffset = txn.firstOffset();
      list.add(entry);
    }
    return list;
  }
}
