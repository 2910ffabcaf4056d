package io.fencepost.testkit.answers;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.message.ConsumerGroupDescribeRequest;
import io.fencepost.broker.wire.message.ConsumerGroupDescribeResponse;
import io.fencepost.broker.wire.message.ConsumerGroupHeartbeatRequest;
import io.fencepost.broker.wire.message.ConsumerGroupHeartbeatResponse;
import io.fencepost.broker.wire.message.DeleteGroupsRequest;
import io.fencepost.broker.wire.message.DeleteGroupsResponse;
import io.fencepost.broker.wire.message.DescribeGroupsRequest;
import io.fencepost.broker.wire.message.DescribeGroupsResponse;
import io.fencepost.broker.wire.message.HeartbeatRequest;
import io.fencepost.broker.wire.message.HeartbeatResponse;
import io.fencepost.broker.wire.message.JoinGroupRequest;
import io.fencepost.broker.wire.message.JoinGroupResponse;
import io.fencepost.broker.wire.message.LeaveGroupRequest;
import io.fencepost.broker.wire.message.LeaveGroupResponse;
import io.fencepost.broker.wire.message.ListGroupsRequest;
import io.fencepost.broker.wire.message.ListGroupsResponse;
import io.fencepost.broker.wire.message.OffsetCommitRequest;
import io.fencepost.broker.wire.message.OffsetCommitResponse;
import io.fencepost.broker.wire.message.OffsetDeleteRequest;
import io.fencepost.broker.wire.message.OffsetDeleteResponse;
import io.fencepost.broker.wire.message.OffsetFetchRequest;
import io.fencepost.broker.wire.message.OffsetFetchResponse;
import io.fencepost.broker.wire.message.SyncGroupRequest;
import io.fencepost.broker.wire.message.SyncGroupResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What members and administrators of groups say, over a {@link Talk}. */
final class GroupTalk {
  private final Talk talk;

  GroupTalk(Talk talk) {
    this.talk = talk;
  }

  /** A topic that the coordinator of groups has heard of; Kafka tells it later than all others. */
  Talk.Topic newTopic(int partitions) {
    Talk.Topic topic = talk.newTopic(partitions);
    TxnTalk.until(
        () -> beat(1, joining(Talk.fresh("probe"), "p", topic)).toString(),
        answer -> answer.endsWith("partitions " + partitions));
    return topic;
  }

  /** The answer to a heartbeat of the newer protocol. */
  record Beat(String error, @Nullable String memberId, int epoch, int partitions) {
    /** -1 partitions: nothing was said of them. */
    @Override
    public String toString() {
      return error.equals("NONE") ? "epoch " + epoch + " partitions " + partitions : error;
    }
  }

  static ConsumerGroupHeartbeatRequest joining(String group, String memberId, Talk.Topic topic) {
    ConsumerGroupHeartbeatRequest request = beating(group, memberId, 0);
    request.rebalanceTimeoutMs = 10_000;
    request.subscribedTopicNames = Talks.listOf(topic.name());
    request.topicPartitions = new ArrayList<>();
    return request;
  }

  static ConsumerGroupHeartbeatRequest beating(String group, String memberId, int epoch) {
    ConsumerGroupHeartbeatRequest request = new ConsumerGroupHeartbeatRequest();
    request.groupId = group;
    request.memberId = memberId;
    request.memberEpoch = epoch;
    return request;
  }

  static ConsumerGroupHeartbeatRequest owning(
      ConsumerGroupHeartbeatRequest request, Talk.Topic topic, Integer... partitions) {
    ConsumerGroupHeartbeatRequest.TopicPartitions owned =
        new ConsumerGroupHeartbeatRequest.TopicPartitions();
    owned.topicId = topic.id();
    owned.partitions = new ArrayList<>(List.of(partitions));
    request.topicPartitions = new ArrayList<>();
    if (partitions.length > 0) {
      request.topicPartitions.add(owned);
    }
    return request;
  }

  /** How long the member may wait with its next heartbeat. */
  int beatInterval(ConsumerGroupHeartbeatRequest request) {
    return beatAnswer(1, request).heartbeatIntervalMs;
  }

  private ConsumerGroupHeartbeatResponse beatAnswer(
      int version, ConsumerGroupHeartbeatRequest request) {
    return talk.ask(
        ApiKey.CONSUMER_GROUP_HEARTBEAT, version, request, ConsumerGroupHeartbeatResponse.class);
  }

  Beat beat(int version, ConsumerGroupHeartbeatRequest request) {
    ConsumerGroupHeartbeatResponse answer = beatAnswer(version, request);
    int partitions = answer.assignment == null ? -1 : 0;
    if (answer.assignment != null) {
      for (var topic : answer.assignment.topicPartitions) {
        partitions += topic.partitions.size();
      }
    }
    return new Beat(Talk.name(answer.errorCode), answer.memberId, answer.memberEpoch, partitions);
  }

  /** State, epochs, assignor and members of a group of the newer protocol. */
  String describeConsumers(String group) {
    ConsumerGroupDescribeResponse.DescribedGroup found = described(group);
    if (found.errorCode != 0) {
      return Talk.name(found.errorCode);
    }
    List<String> members = new ArrayList<>();
    found.members.forEach(m -> members.add("type " + m.memberType + " epoch " + m.memberEpoch));
    return "%s %d %d %s %s"
        .formatted(
            found.groupState, found.groupEpoch, found.assignmentEpoch, found.assignorName, members);
  }

  private ConsumerGroupDescribeResponse.DescribedGroup described(String group) {
    ConsumerGroupDescribeRequest request = new ConsumerGroupDescribeRequest();
    request.groupIds.add(group);
    return talk.ask(ApiKey.CONSUMER_GROUP_DESCRIBE, 1, request, ConsumerGroupDescribeResponse.class)
        .groups
        .get(0);
  }

  /** What all members of a group of the newer protocol have by now. */
  int assignedPartitions(String group) {
    int count = 0;
    for (var member : described(group).members) {
      for (var topic : member.assignment.topicPartitions) {
        count += topic.partitions.size();
      }
    }
    return count;
  }

  /** The bytes of a subscription. */
  static byte[] subscription(String topic) {
    byte[] name = topic.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(2 + 4 + 2 + name.length + 4)
        .putShort((short) 0)
        .putInt(1)
        .putShort((short) name.length)
        .put(name)
        .putInt(-1)
        .array();
  }

  static JoinGroupRequest classicJoining(String group, String memberId, Talk.Topic topic) {
    JoinGroupRequest.JoinGroupRequestProtocol protocol =
        new JoinGroupRequest.JoinGroupRequestProtocol();
    protocol.name = "range";
    protocol.metadata = subscription(topic.name());
    JoinGroupRequest request = new JoinGroupRequest();
    request.groupId = group;
    request.memberId = memberId;
    request.sessionTimeoutMs = 10_000;
    request.rebalanceTimeoutMs = 10_000;
    request.protocolType = "consumer";
    request.protocols.add(protocol);
    return request;
  }

  /** The answer to a JoinGroup. */
  record Joined(
      String error,
      String memberId,
      int generation,
      @Nullable String type,
      @Nullable String protocol,
      boolean leads,
      boolean skips,
      int members) {
    @Override
    public String toString() {
      return "%s generation %d %s/%s leads %s skips %s members %d"
          .formatted(error, generation, type, protocol, leads, skips, members);
    }
  }

  Joined join(int version, JoinGroupRequest request) {
    JoinGroupResponse answer =
        talk.ask(ApiKey.JOIN_GROUP, version, request, JoinGroupResponse.class);
    return new Joined(
        Talk.name(answer.errorCode),
        answer.memberId,
        answer.generationId,
        answer.protocolType,
        answer.protocolName,
        answer.leader.equals(answer.memberId),
        answer.skipAssignment,
        answer.members.size());
  }

  /** Joins as a dynamic member, the second time with the id that was given. */
  Joined joinTwice(String group, Talk.Topic topic) {
    Joined first = join(7, classicJoining(group, "", topic));
    return join(7, classicJoining(group, first.memberId(), topic));
  }

  static SyncGroupRequest syncing(String group, String memberId, int generation) {
    SyncGroupRequest request = new SyncGroupRequest();
    request.groupId = group;
    request.memberId = memberId;
    request.generationId = generation;
    request.protocolType = "consumer";
    request.protocolName = "range";
    SyncGroupRequest.SyncGroupRequestAssignment share =
        new SyncGroupRequest.SyncGroupRequestAssignment();
    share.memberId = memberId;
    share.assignment = new byte[] {1, 2, 3};
    request.assignments.add(share);
    return request;
  }

  String sync(int version, SyncGroupRequest request) {
    SyncGroupResponse answer =
        talk.ask(ApiKey.SYNC_GROUP, version, request, SyncGroupResponse.class);
    return "%s %s/%s %d bytes"
        .formatted(
            Talk.name(answer.errorCode),
            answer.protocolType,
            answer.protocolName,
            answer.assignment.length);
  }

  /** The error, or the numbers in the share. */
  String share(SyncGroupRequest request) {
    SyncGroupResponse answer = talk.ask(ApiKey.SYNC_GROUP, 5, request, SyncGroupResponse.class);
    return answer.errorCode == 0
        ? "share " + Arrays.toString(answer.assignment)
        : Talk.name(answer.errorCode);
  }

  String heartbeat(String group, String memberId, @Nullable String instanceId, int generation) {
    HeartbeatRequest request = new HeartbeatRequest();
    request.groupId = group;
    request.memberId = memberId;
    request.groupInstanceId = instanceId;
    request.generationId = generation;
    return Talk.name(talk.ask(ApiKey.HEARTBEAT, 4, request, HeartbeatResponse.class).errorCode);
  }

  /** Member ids and instance ids, alternating; null for none. The error, and those of members. */
  String leave(String group, @Nullable String... members) {
    LeaveGroupRequest request = new LeaveGroupRequest();
    request.groupId = group;
    for (int i = 0; i < members.length; i += 2) {
      LeaveGroupRequest.MemberIdentity member = new LeaveGroupRequest.MemberIdentity();
      member.memberId = Talks.text(members[i]);
      member.groupInstanceId = members[i + 1];
      request.members.add(member);
    }
    LeaveGroupResponse answer = talk.ask(ApiKey.LEAVE_GROUP, 5, request, LeaveGroupResponse.class);
    List<String> each = new ArrayList<>();
    answer.members.forEach(member -> each.add(Talk.name(member.errorCode)));
    return Talk.name(answer.errorCode) + " " + each;
  }

  /** Error, state, protocol type, protocol, members. */
  String describe(int version, String group) {
    DescribeGroupsRequest request = new DescribeGroupsRequest();
    request.groups.add(group);
    DescribeGroupsResponse.DescribedGroup found =
        talk.ask(ApiKey.DESCRIBE_GROUPS, version, request, DescribeGroupsResponse.class)
            .groups
            .get(0);
    return "%s %s '%s' '%s' %d"
        .formatted(
            Talk.name(found.errorCode),
            found.groupState,
            found.protocolType,
            found.protocolData,
            found.members.size());
  }

  /** Type, state and protocol type of the group in a list that passes the filters. */
  String listed(String group, List<String> states, List<String> types) {
    ListGroupsRequest request = new ListGroupsRequest();
    request.statesFilter = new ArrayList<>(states);
    request.typesFilter = new ArrayList<>(types);
    for (var found : talk.ask(ApiKey.LIST_GROUPS, 5, request, ListGroupsResponse.class).groups) {
      if (found.groupId.equals(group)) {
        return found.groupType + " " + found.groupState + " '" + found.protocolType + "'";
      }
    }
    return "not listed";
  }

  String delete(String group) {
    DeleteGroupsRequest request = new DeleteGroupsRequest();
    request.groupsNames.add(group);
    return Talk.name(
        talk.ask(ApiKey.DELETE_GROUPS, 2, request, DeleteGroupsResponse.class)
            .results
            .get(0)
            .errorCode);
  }

  /** The error of the group, or that of the partition. */
  String deleteOffset(String group, String topic, int partition) {
    OffsetDeleteRequest.OffsetDeleteRequestPartition one =
        new OffsetDeleteRequest.OffsetDeleteRequestPartition();
    one.partitionIndex = partition;
    OffsetDeleteRequest.OffsetDeleteRequestTopic named =
        new OffsetDeleteRequest.OffsetDeleteRequestTopic();
    named.name = topic;
    named.partitions.add(one);
    OffsetDeleteRequest request = new OffsetDeleteRequest();
    request.groupId = group;
    request.topics.add(named);
    OffsetDeleteResponse answer =
        talk.ask(ApiKey.OFFSET_DELETE, 0, request, OffsetDeleteResponse.class);
    return answer.errorCode != 0
        ? "group " + Talk.name(answer.errorCode)
        : Talk.name(answer.topics.get(0).partitions.get(0).errorCode);
  }

  /** A plain commit of offset 5 of partition 0. */
  String commit(int version, String group, Talk.Topic topic, Consumer<OffsetCommitRequest> who) {
    OffsetCommitRequest.OffsetCommitRequestPartition one =
        new OffsetCommitRequest.OffsetCommitRequestPartition();
    one.committedOffset = 5;
    OffsetCommitRequest.OffsetCommitRequestTopic named =
        new OffsetCommitRequest.OffsetCommitRequestTopic();
    named.name = version < 10 ? topic.name() : "";
    named.topicId = version < 10 ? named.topicId : topic.id();
    named.partitions.add(one);
    OffsetCommitRequest request = new OffsetCommitRequest();
    request.groupId = group;
    request.topics.add(named);
    who.accept(request);
    return Talk.name(
        talk.ask(ApiKey.OFFSET_COMMIT, version, request, OffsetCommitResponse.class)
            .topics
            .get(0)
            .partitions
            .get(0)
            .errorCode);
  }

  static Consumer<OffsetCommitRequest> by(String memberId, int epoch) {
    return request -> {
      request.memberId = memberId;
      request.generationIdOrMemberEpoch = epoch;
    };
  }

  /** A fetch of partition 0 with member and epoch: the group's error, or the offset. */
  String fetch(String group, Talk.Topic topic, @Nullable String memberId, int epoch) {
    OffsetFetchRequest.OffsetFetchRequestTopics named =
        new OffsetFetchRequest.OffsetFetchRequestTopics();
    named.name = topic.name();
    named.partitionIndexes.add(0);
    OffsetFetchRequest.OffsetFetchRequestGroup asked =
        new OffsetFetchRequest.OffsetFetchRequestGroup();
    asked.groupId = group;
    asked.memberId = memberId;
    asked.memberEpoch = epoch;
    asked.topics = Talks.listOf(named);
    OffsetFetchRequest request = new OffsetFetchRequest();
    request.groups.add(asked);
    OffsetFetchResponse.OffsetFetchResponseGroup found =
        talk.ask(ApiKey.OFFSET_FETCH, 9, request, OffsetFetchResponse.class).groups.get(0);
    if (found.errorCode != 0) {
      return Talk.name(found.errorCode);
    }
    return "offset " + found.topics.get(0).partitions.get(0).committedOffset;
  }

  /** All offsets of a group: partition and offset, or its error. */
  List<String> fetchAll(String group, boolean stable) {
    OffsetFetchRequest.OffsetFetchRequestGroup asked =
        new OffsetFetchRequest.OffsetFetchRequestGroup();
    asked.groupId = group;
    asked.memberEpoch = -1;
    asked.topics = null;
    OffsetFetchRequest request = new OffsetFetchRequest();
    request.groups.add(asked);
    request.requireStable = stable;
    List<String> lines = new ArrayList<>();
    for (var topic :
        talk.ask(ApiKey.OFFSET_FETCH, 9, request, OffsetFetchResponse.class).groups.get(0).topics) {
      for (var found : topic.partitions) {
        String answer =
            found.errorCode == 0 ? "" + found.committedOffset : Talk.name(found.errorCode);
        lines.add(found.partitionIndex + " " + answer);
      }
    }
    lines.sort(null);
    return lines;
  }
}
