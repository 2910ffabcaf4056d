package io.fencepost.txn.group.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.OffsetCommitRequest;
import io.fencepost.broker.wire.message.OffsetCommitRequest.OffsetCommitRequestPartition;
import io.fencepost.broker.wire.message.OffsetCommitRequest.OffsetCommitRequestTopic;
import io.fencepost.broker.wire.message.OffsetCommitResponse;
import io.fencepost.txn.group.CommitCommand;
import io.fencepost.txn.group.MemberIdentity;
import io.fencepost.txn.group.OffsetCommits;

/**
 * OffsetCommit, versions 2 to 10.
 *
 * <ul>
 *   <li>Answers when the offsets are durable. A commit counts as a heartbeat.
 *   <li>Without member and generation it is for groups that have no members: consumers that assign
 *       partitions by hand, and administrators.
 *   <li>Versions: 2 to 4 a retention of its own; 6 leader epoch; 7 static members (KIP-345); 9
 *       GROUP_ID_NOT_FOUND instead of ILLEGAL_GENERATION for an unknown group, and the epoch of a
 *       member of the newer protocol (KIP-848), stale ones by partition (KIP-1251); 10 topic ids
 *       instead of names.
 * </ul>
 */
public final class OffsetCommit implements ApiHandler<OffsetCommitRequest, OffsetCommitResponse> {
  private static final int NO_RETENTION = 5;
  private static final int GROUP_NOT_FOUND = 9;
  private static final int MEMBER_EPOCHS = 9;
  private static final int TOPIC_IDS = 10;

  private final OffsetCommits commits;
  private final ClusterView cluster;
  private final int metadataMaxLength;

  public OffsetCommit(OffsetCommits commits, ClusterView cluster, int metadataMaxLength) {
    this.commits = commits;
    this.cluster = cluster;
    this.metadataMaxLength = metadataMaxLength;
  }

  @Override
  public void handle(
      RequestContext context, OffsetCommitRequest request, Reply<OffsetCommitResponse> reply) {
    int version = context.apiVersion();
    CommitTopics topics =
        new CommitTopics(cluster.state(), version >= TOPIC_IDS, metadataMaxLength);
    long retentionMs = version < NO_RETENTION ? request.retentionTimeMs : -1;
    for (OffsetCommitRequestTopic topic : request.topics) {
      String name = topics.nameOf(topic.name, topic.topicId);
      for (OffsetCommitRequestPartition partition : topic.partitions) {
        topics.add(name, entry(topic, partition, retentionMs));
      }
    }
    if (!topics.concernsGroup()) {
      reply.send(response(request, topics, WireError.NONE));
      return;
    }
    CommitCommand command =
        new CommitCommand(
            request.groupId,
            new MemberIdentity(request.memberId, request.groupInstanceId),
            request.generationIdOrMemberEpoch,
            null,
            topics.entries(),
            version >= MEMBER_EPOCHS,
            version >= GROUP_NOT_FOUND
                ? WireError.GROUP_ID_NOT_FOUND
                : WireError.ILLEGAL_GENERATION);
    commits.commit(command, error -> reply.send(response(request, topics, error)));
  }

  private static CommitCommand.Entry entry(
      OffsetCommitRequestTopic topic, OffsetCommitRequestPartition partition, long retentionMs) {
    String metadata = partition.committedMetadata;
    return new CommitCommand.Entry(
        new TopicPartition(topic.name, partition.partitionIndex),
        partition.committedOffset,
        partition.committedLeaderEpoch,
        metadata == null ? "" : metadata,
        retentionMs);
  }

  private static OffsetCommitResponse response(
      OffsetCommitRequest request, CommitTopics topics, WireError whole) {
    OffsetCommitResponse response = new OffsetCommitResponse();
    int place = 0;
    for (OffsetCommitRequestTopic topic : request.topics) {
      OffsetCommitResponse.OffsetCommitResponseTopic answered =
          new OffsetCommitResponse.OffsetCommitResponseTopic();
      answered.name = topic.name;
      answered.topicId = topic.topicId;
      for (OffsetCommitRequestPartition partition : topic.partitions) {
        OffsetCommitResponse.OffsetCommitResponsePartition result =
            new OffsetCommitResponse.OffsetCommitResponsePartition();
        result.partitionIndex = partition.partitionIndex;
        result.errorCode = topics.verdict(place++, whole).code();
        answered.partitions.add(result);
      }
      response.topics.add(answered);
    }
    return response;
  }
}
