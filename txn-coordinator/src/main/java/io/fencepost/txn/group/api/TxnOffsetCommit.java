package io.fencepost.txn.group.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.TxnOffsetCommitRequest;
import io.fencepost.broker.wire.message.TxnOffsetCommitRequest.TxnOffsetCommitRequestPartition;
import io.fencepost.broker.wire.message.TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic;
import io.fencepost.broker.wire.message.TxnOffsetCommitResponse;
import io.fencepost.txn.group.CommitCommand;
import io.fencepost.txn.group.CommitCommand.Transaction;
import io.fencepost.txn.group.MemberIdentity;
import io.fencepost.txn.group.StagedCommits;

/**
 * TxnOffsetCommit, versions 0 to 6.
 *
 * <ul>
 *   <li>Stages offsets until the transaction ends. The committer's generation is checked (KIP-447):
 *       ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID and FENCED_INSTANCE_ID stop a member that was
 *       replaced. A request that names neither member nor generation is not checked.
 *   <li>The transaction must hold this group's partition of the offsets log: INVALID_TXN_STATE up
 *       to version 3, TRANSACTION_ABORTABLE in 4 (KIP-890); from 5 on it is added here.
 *   <li>Versions: 2 leader epoch; 3 member, generation, instance; 6 topic ids instead of names, and
 *       GROUP_ID_NOT_FOUND for a generation of an unknown group (KIP-1319), and STALE_MEMBER_EPOCH
 *       to a member of the newer protocol, which is ILLEGAL_GENERATION before.
 * </ul>
 */
public final class TxnOffsetCommit
    implements ApiHandler<TxnOffsetCommitRequest, TxnOffsetCommitResponse> {
  private static final int ABORTABLE_ERRORS = 4;
  private static final int IMPLICIT_ADD = 5;
  private static final int TOPIC_IDS = 6;
  private static final int MEMBER_EPOCHS = 6;

  private final StagedCommits commits;
  private final ClusterView cluster;
  private final int metadataMaxLength;

  public TxnOffsetCommit(StagedCommits commits, ClusterView cluster, int metadataMaxLength) {
    this.commits = commits;
    this.cluster = cluster;
    this.metadataMaxLength = metadataMaxLength;
  }

  @Override
  public void handle(
      RequestContext context,
      TxnOffsetCommitRequest request,
      Reply<TxnOffsetCommitResponse> reply) {
    int version = context.apiVersion();
    CommitTopics topics =
        new CommitTopics(cluster.state(), version >= TOPIC_IDS, metadataMaxLength);
    for (TxnOffsetCommitRequestTopic topic : request.topics) {
      String name = topics.nameOf(topic.name, topic.topicId);
      for (TxnOffsetCommitRequestPartition partition : topic.partitions) {
        topics.add(name, entry(topic, partition));
      }
    }
    if (request.groupId.isEmpty() || !topics.concernsGroup()) {
      WireError whole = request.groupId.isEmpty() ? WireError.INVALID_GROUP_ID : WireError.NONE;
      reply.send(response(request, topics, whole));
      return;
    }
    CommitCommand command =
        new CommitCommand(
            request.groupId,
            new MemberIdentity(request.memberId, request.groupInstanceId),
            request.generationIdOrMemberEpoch,
            new Transaction(request.producerId, request.producerEpoch),
            topics.entries(),
            true,
            version >= TOPIC_IDS ? WireError.GROUP_ID_NOT_FOUND : WireError.ILLEGAL_GENERATION);
    commits.stage(
        request.transactionalId,
        command,
        version >= IMPLICIT_ADD,
        error -> reply.send(response(request, topics, spoken(error, version))));
  }

  /** The error in the words that clients of this version understand. */
  private static WireError spoken(WireError error, int version) {
    return switch (error) {
      case PRODUCER_FENCED -> WireError.INVALID_PRODUCER_EPOCH;
      case INVALID_TXN_STATE, TRANSACTION_ABORTABLE ->
          version >= ABORTABLE_ERRORS
              ? WireError.TRANSACTION_ABORTABLE
              : WireError.INVALID_TXN_STATE;
      case STALE_MEMBER_EPOCH -> version >= MEMBER_EPOCHS ? error : WireError.ILLEGAL_GENERATION;
      default -> error;
    };
  }

  private static CommitCommand.Entry entry(
      TxnOffsetCommitRequestTopic topic, TxnOffsetCommitRequestPartition partition) {
    String metadata = partition.committedMetadata;
    return new CommitCommand.Entry(
        new TopicPartition(topic.name, partition.partitionIndex),
        partition.committedOffset,
        partition.committedLeaderEpoch,
        metadata == null ? "" : metadata,
        -1);
  }

  private static TxnOffsetCommitResponse response(
      TxnOffsetCommitRequest request, CommitTopics topics, WireError whole) {
    TxnOffsetCommitResponse response = new TxnOffsetCommitResponse();
    int place = 0;
    for (TxnOffsetCommitRequestTopic topic : request.topics) {
      TxnOffsetCommitResponse.TxnOffsetCommitResponseTopic answered =
          new TxnOffsetCommitResponse.TxnOffsetCommitResponseTopic();
      answered.name = topic.name;
      answered.topicId = topic.topicId;
      for (TxnOffsetCommitRequestPartition partition : topic.partitions) {
        TxnOffsetCommitResponse.TxnOffsetCommitResponsePartition result =
            new TxnOffsetCommitResponse.TxnOffsetCommitResponsePartition();
        result.partitionIndex = partition.partitionIndex;
        result.errorCode = topics.verdict(place++, whole).code();
        answered.partitions.add(result);
      }
      response.topics.add(answered);
    }
    return response;
  }
}
