package io.fencepost.txn.group.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.cluster.ClusterState;
import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.message.DeleteGroupsRequest;
import io.fencepost.broker.wire.message.DeleteGroupsResponse;
import io.fencepost.broker.wire.message.DescribeGroupsRequest;
import io.fencepost.broker.wire.message.DescribeGroupsResponse;
import io.fencepost.broker.wire.message.HeartbeatRequest;
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
import io.fencepost.broker.wire.message.TxnOffsetCommitRequest;
import io.fencepost.broker.wire.message.TxnOffsetCommitResponse;
import io.fencepost.txn.group.SimGroups;
import io.fencepost.txn.group.StagedCommits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Answers of the group APIs, version by version, as Apache Kafka 4.4.0 gave them over the wire. */
class GroupApiTest {
  private static final Uuid TOPIC_ID = new Uuid(7, 7);
  private static final String NOBODY = "nobody";

  private final SimGroups sim = new SimGroups(11);
  private final ClusterView cluster = GroupApiTest::state;
  private WireError gateAnswer = WireError.NONE;
  private final List<Boolean> gateAsked = new ArrayList<>();

  private static ClusterState state() {
    List<PartitionState> partitions =
        List.of(
            new PartitionState(0, 1, 0, List.of(1), List.of(1)),
            new PartitionState(1, 1, 0, List.of(1), List.of(1)));
    return ClusterState.empty("c", 1)
        .withTopics(List.of(new TopicState("t", TOPIC_ID, false, partitions, new TreeMap<>())));
  }

  private <Q extends WireMessage, R extends WireMessage> R call(
      ApiHandler<Q, R> handler, int version, Q request) {
    List<R> answers = new ArrayList<>();
    handler.handle(
        new RequestContext(version, "client", "127.0.0.1", 1),
        request,
        new Reply<>() {
          @Override
          public void send(R response) {
            answers.add(response);
          }

          @Override
          public void sendNothing() {
            throw new AssertionError("no answer");
          }

          @Override
          public void close(String reason) {
            throw new AssertionError(reason);
          }
        });
    sim.scheduler.runFor(10);
    assertThat(answers).hasSize(1);
    return answers.get(0);
  }

  private WireError commit(int version, String group, int generation, String member, Uuid id) {
    OffsetCommitResponse response =
        call(
            new OffsetCommit(sim.commits, cluster, 4096),
            version,
            commitRequest(group, generation, member, id, 0, "m"));
    return WireError.of(response.topics.get(0).partitions.get(0).errorCode);
  }

  private static OffsetCommitRequest commitRequest(
      String group, int generation, String member, Uuid id, int partition, String metadata) {
    OffsetCommitRequest request = new OffsetCommitRequest();
    request.groupId = group;
    request.generationIdOrMemberEpoch = generation;
    request.memberId = member;
    OffsetCommitRequest.OffsetCommitRequestTopic topic =
        new OffsetCommitRequest.OffsetCommitRequestTopic();
    topic.name = id.equals(Uuid.ZERO) ? "t" : "";
    topic.topicId = id;
    OffsetCommitRequest.OffsetCommitRequestPartition one =
        new OffsetCommitRequest.OffsetCommitRequestPartition();
    one.partitionIndex = partition;
    one.committedOffset = 5;
    one.committedMetadata = metadata;
    topic.partitions.add(one);
    request.topics.add(topic);
    return request;
  }

  private OffsetFetchResponse.OffsetFetchResponseGroup fetch(
      int version, String group, @Nullable String name, Uuid id, boolean stable) {
    OffsetFetchRequest request = new OffsetFetchRequest();
    request.requireStable = stable;
    OffsetFetchRequest.OffsetFetchRequestGroup one =
        new OffsetFetchRequest.OffsetFetchRequestGroup();
    one.groupId = group;
    one.topics = null;
    if (name != null) {
      OffsetFetchRequest.OffsetFetchRequestTopics topic =
          new OffsetFetchRequest.OffsetFetchRequestTopics();
      topic.name = name;
      topic.topicId = id;
      topic.partitionIndexes.addAll(List.of(0, 7));
      one.topics = new ArrayList<>(List.of(topic));
    }
    request.groups.add(one);
    return call(new OffsetFetch(sim.groups, cluster), version, request).groups.get(0);
  }

  @Test
  void commits_of_unknown_groups_topics_and_partitions() {
    assertThat(commit(8, NOBODY, 3, "m", Uuid.ZERO)).isEqualTo(WireError.ILLEGAL_GENERATION);
    assertThat(commit(9, NOBODY, 3, "m", Uuid.ZERO)).isEqualTo(WireError.GROUP_ID_NOT_FOUND);
    assertThat(commit(10, NOBODY, 3, "m", TOPIC_ID)).isEqualTo(WireError.GROUP_ID_NOT_FOUND);
    assertThat(commit(10, "g", -1, "", new Uuid(9, 9))).isEqualTo(WireError.UNKNOWN_TOPIC_ID);
    assertThat(commit(10, "g", -1, "", TOPIC_ID)).isEqualTo(WireError.NONE);
    assertThat(commit(9, "", -1, "", Uuid.ZERO)).isEqualTo(WireError.NONE);
    assertThat(commit(9, "g", 3, "m", Uuid.ZERO)).isEqualTo(WireError.UNKNOWN_MEMBER_ID);
    OffsetCommit handler = new OffsetCommit(sim.commits, cluster, 4096);
    assertThat(
            call(handler, 9, commitRequest("g", -1, "", Uuid.ZERO, 99, ""))
                .topics
                .get(0)
                .partitions
                .get(0)
                .errorCode)
        .isEqualTo(WireError.UNKNOWN_TOPIC_OR_PARTITION.code());
    assertThat(
            call(handler, 9, commitRequest("g", -1, "", Uuid.ZERO, 1, "x".repeat(4097)))
                .topics
                .get(0)
                .partitions
                .get(0)
                .errorCode)
        .isEqualTo(WireError.OFFSET_METADATA_TOO_LARGE.code());
  }

  @Test
  void fetches_by_name_by_id_and_of_everything() {
    commit(9, "g", -1, "", Uuid.ZERO);
    assertThat(fetch(8, "g", "t", Uuid.ZERO, true).topics.get(0).partitions)
        .extracting(p -> p.committedOffset + ":" + p.metadata + ":" + p.errorCode)
        .containsExactly("5:m:0", "-1::0");
    assertThat(fetch(9, NOBODY, "t", Uuid.ZERO, true).topics.get(0).partitions)
        .extracting(p -> p.committedOffset + ":" + p.errorCode)
        .containsExactly("-1:0", "-1:0");
    assertThat(fetch(9, NOBODY, null, Uuid.ZERO, true).topics).isEmpty();
    OffsetFetchResponse.OffsetFetchResponseTopics byId =
        fetch(10, "g", "", TOPIC_ID, true).topics.get(0);
    assertThat(byId.name).isEmpty();
    assertThat(byId.topicId).isEqualTo(TOPIC_ID);
    assertThat(byId.partitions.get(0).committedOffset).isEqualTo(5);
    assertThat(fetch(10, "g", "", new Uuid(9, 9), true).topics.get(0).partitions)
        .extracting(p -> p.committedOffset + ":" + p.errorCode)
        .containsExactly("-1:100", "-1:100");
    assertThat(fetch(10, "g", null, Uuid.ZERO, true).topics.get(0).topicId).isEqualTo(TOPIC_ID);
    OffsetFetchRequest old = new OffsetFetchRequest();
    old.groupId = "g";
    old.topics = null;
    OffsetFetchResponse answer = call(new OffsetFetch(sim.groups, cluster), 5, old);
    assertThat(answer.topics.get(0).partitions.get(0).committedOffset).isEqualTo(5);
  }

  private JoinGroupRequest joinRequest(String group, String member, @Nullable String instance) {
    JoinGroupRequest request = new JoinGroupRequest();
    request.groupId = group;
    request.memberId = member;
    request.groupInstanceId = instance;
    request.protocolType = "consumer";
    request.sessionTimeoutMs = 10_000;
    request.rebalanceTimeoutMs = 20_000;
    JoinGroupRequest.JoinGroupRequestProtocol protocol =
        new JoinGroupRequest.JoinGroupRequestProtocol();
    protocol.name = "range";
    byte[] topic = "t".getBytes(StandardCharsets.UTF_8);
    protocol.metadata =
        ByteBuffer.allocate(13)
            .putShort((short) 0)
            .putInt(1)
            .putShort((short) 1)
            .put(topic)
            .array();
    request.protocols.add(protocol);
    return request;
  }

  private String stableMember(String group, @Nullable String instance) {
    JoinGroupResponse joined =
        call(new JoinGroup(sim.groups, sim.bridge), 3, joinRequest(group, "", instance));
    assertThat(joined.errorCode).isZero();
    SyncGroupRequest sync = new SyncGroupRequest();
    sync.groupId = group;
    sync.memberId = joined.memberId;
    sync.groupInstanceId = instance;
    sync.generationId = joined.generationId;
    sync.protocolType = "consumer";
    sync.protocolName = "range";
    SyncGroupRequest.SyncGroupRequestAssignment share =
        new SyncGroupRequest.SyncGroupRequestAssignment();
    share.memberId = joined.memberId;
    share.assignment = new byte[] {1, 2};
    sync.assignments.add(share);
    SyncGroupResponse synced = call(new SyncGroup(sim.groups, sim.bridge), 5, sync);
    assertThat(synced.errorCode).isZero();
    assertThat(synced.assignment).containsExactly(1, 2);
    return joined.memberId;
  }

  @Test
  void members_of_all_groups_together_take_no_more_memory_than_they_may() {
    JoinGroup handler = new JoinGroup(sim.groups, sim.bridge);
    int joined = 0;
    JoinGroupResponse last;
    JoinGroupRequest request;
    do {
      request = joinRequest("g" + joined, "", null);
      request.protocols.get(0).metadata = new byte[1_000_000];
      last = call(handler, 3, request);
      joined++;
    } while (last.errorCode == 0);
    assertThat(WireError.of(last.errorCode)).isEqualTo(WireError.GROUP_MAX_SIZE_REACHED);
    assertThat(joined).isEqualTo(9);
    assertThat(call(handler, 3, joinRequest("small", "", null)).errorCode).isZero();
    sim.scheduler.runFor(request.sessionTimeoutMs + 1);
    assertThat(call(handler, 3, request).errorCode).as("the others are gone").isZero();
  }

  @Test
  void joins_by_version() {
    JoinGroup handler = new JoinGroup(sim.groups, sim.bridge);
    JoinGroupResponse asked = call(handler, 9, joinRequest("g", "", null));
    assertThat(asked.errorCode).isEqualTo(WireError.MEMBER_ID_REQUIRED.code());
    assertThat(asked.memberId).startsWith("client-");
    assertThat(asked.protocolName).isNull();
    assertThat(call(handler, 4, joinRequest("h", "", null)).protocolName).isEmpty();
    assertThat(call(handler, 9, joinRequest("g", asked.memberId, null)).errorCode).isZero();
    assertThat(call(handler, 0, joinRequest("old", "", null)).errorCode).isZero();
    JoinGroupResponse named = call(handler, 9, joinRequest("static", "", "inst"));
    assertThat(named.memberId).startsWith("inst-");
    assertThat(call(handler, 9, joinRequest("g2", "who", null)).errorCode)
        .isEqualTo(WireError.UNKNOWN_MEMBER_ID.code());
    assertThat(call(handler, 9, joinRequest("", "", null)).errorCode)
        .isEqualTo(WireError.INVALID_GROUP_ID.code());
    JoinGroupRequest empty = joinRequest("g3", "who", null);
    empty.protocols.clear();
    assertThat(call(handler, 9, empty).errorCode)
        .isEqualTo(WireError.INCONSISTENT_GROUP_PROTOCOL.code());
  }

  @Test
  void sync_heartbeat_and_leave_of_strangers() {
    SyncGroupRequest sync = new SyncGroupRequest();
    sync.groupId = NOBODY;
    assertThat(call(new SyncGroup(sim.groups, sim.bridge), 5, sync).errorCode)
        .isEqualTo(WireError.INCONSISTENT_GROUP_PROTOCOL.code());
    assertThat(call(new SyncGroup(sim.groups, sim.bridge), 4, sync).errorCode)
        .isEqualTo(WireError.UNKNOWN_MEMBER_ID.code());
    HeartbeatRequest heartbeat = new HeartbeatRequest();
    assertThat(call(new Heartbeat(sim.groups, sim.bridge), 4, heartbeat).errorCode)
        .isEqualTo(WireError.INVALID_GROUP_ID.code());
    heartbeat.groupId = NOBODY;
    assertThat(call(new Heartbeat(sim.groups, sim.bridge), 4, heartbeat).errorCode)
        .isEqualTo(WireError.UNKNOWN_MEMBER_ID.code());
    LeaveGroupRequest leave = new LeaveGroupRequest();
    leave.groupId = NOBODY;
    leave.memberId = "m";
    assertThat(call(new LeaveGroup(sim.groups, sim.bridge), 0, leave).errorCode)
        .isEqualTo(WireError.UNKNOWN_MEMBER_ID.code());
    LeaveGroupRequest.MemberIdentity member = new LeaveGroupRequest.MemberIdentity();
    member.memberId = "m";
    leave.members.add(member);
    LeaveGroupResponse left = call(new LeaveGroup(sim.groups, sim.bridge), 5, leave);
    assertThat(left.errorCode).isZero();
    assertThat(left.members.get(0).errorCode).isEqualTo(WireError.UNKNOWN_MEMBER_ID.code());
  }

  @Test
  void groups_are_described_and_listed() {
    stableMember("s", "inst");
    commit(9, "simple", -1, "", Uuid.ZERO);
    DescribeGroupsRequest request = new DescribeGroupsRequest();
    request.groups.addAll(List.of("s", "simple", NOBODY));
    DescribeGroupsResponse described = call(new DescribeGroups(sim.groups), 6, request);
    assertThat(described.groups)
        .extracting(g -> g.groupState + ":" + g.protocolType + ":" + g.errorCode)
        .containsExactly("Stable:consumer:0", "Empty::0", "Dead::69");
    DescribeGroupsResponse.DescribedGroupMember member = described.groups.get(0).members.get(0);
    assertThat(member.clientHost).isEqualTo("/127.0.0.1");
    assertThat(member.groupInstanceId).isEqualTo("inst");
    assertThat(member.memberAssignment).containsExactly(1, 2);
    assertThat(call(new DescribeGroups(sim.groups), 5, request).groups.get(2).errorCode).isZero();
    ListGroupsRequest list = new ListGroupsRequest();
    ListGroupsResponse listed = call(new ListGroups(sim.groups), 5, list);
    assertThat(listed.groups)
        .extracting(g -> g.groupId + ":" + g.groupState + ":" + g.groupType)
        .containsExactly("s:Stable:classic", "simple:Empty:classic");
    list.statesFilter.add("empty");
    list.typesFilter.add("CLASSIC");
    assertThat(call(new ListGroups(sim.groups), 5, list).groups).hasSize(1);
    list.typesFilter.set(0, "consumer");
    assertThat(call(new ListGroups(sim.groups), 5, list).groups).isEmpty();
  }

  private short deleteOffset(String group, String topic, int partition) {
    OffsetDeleteRequest request = new OffsetDeleteRequest();
    request.groupId = group;
    OffsetDeleteRequest.OffsetDeleteRequestTopic one =
        new OffsetDeleteRequest.OffsetDeleteRequestTopic();
    one.name = topic;
    OffsetDeleteRequest.OffsetDeleteRequestPartition index =
        new OffsetDeleteRequest.OffsetDeleteRequestPartition();
    index.partitionIndex = partition;
    one.partitions.add(index);
    request.topics.add(one);
    OffsetDeleteResponse response = call(new OffsetDelete(sim.removals, cluster), 0, request);
    return response.errorCode != 0
        ? response.errorCode
        : response.topics.get(0).partitions.get(0).errorCode;
  }

  @Test
  void deletions_spare_what_is_in_use() {
    stableMember("s", null);
    commit(9, "simple", -1, "", Uuid.ZERO);
    assertThat(deleteOffset("s", "t", 0)).isEqualTo(WireError.GROUP_SUBSCRIBED_TO_TOPIC.code());
    assertThat(deleteOffset("s", "nope", 0)).isEqualTo(WireError.UNKNOWN_TOPIC_OR_PARTITION.code());
    assertThat(deleteOffset(NOBODY, "t", 0)).isEqualTo(WireError.GROUP_ID_NOT_FOUND.code());
    assertThat(deleteOffset("", "t", 0)).isEqualTo(WireError.INVALID_GROUP_ID.code());
    assertThat(deleteOffset("simple", "t", 1)).isZero();
    DeleteGroupsRequest request = new DeleteGroupsRequest();
    request.groupsNames.addAll(List.of("s", NOBODY, "simple"));
    DeleteGroupsResponse deleted = call(new DeleteGroups(sim.removals), 3, request);
    assertThat(deleted.results)
        .extracting(r -> r.groupId + ":" + r.errorCode)
        .containsExactly("nobody:69", "s:68", "simple:0");
    assertThat(fetch(9, "simple", "t", Uuid.ZERO, true).topics.get(0).partitions.get(0))
        .extracting(p -> p.committedOffset)
        .isEqualTo(-1L);
  }

  private WireError stage(int version, String group, int generation, String member) {
    TxnOffsetCommitRequest request = new TxnOffsetCommitRequest();
    request.transactionalId = "tid";
    request.groupId = group;
    request.producerId = 4;
    request.generationIdOrMemberEpoch = generation;
    request.memberId = member;
    TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic topic =
        new TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic();
    topic.name = "t";
    topic.topicId = TOPIC_ID;
    TxnOffsetCommitRequest.TxnOffsetCommitRequestPartition partition =
        new TxnOffsetCommitRequest.TxnOffsetCommitRequestPartition();
    partition.committedOffset = 8;
    topic.partitions.add(partition);
    request.topics.add(topic);
    StagedCommits staged =
        new StagedCommits(
            sim.groups,
            sim.commits,
            () ->
                (asked, answer) -> {
                  gateAsked.add(asked.addIfAbsent());
                  TreeMap<TopicPartition, WireError> verdicts = new TreeMap<>();
                  asked.partitions().forEach(p -> verdicts.put(p, gateAnswer));
                  answer.accept(verdicts);
                });
    TxnOffsetCommitResponse response =
        call(new TxnOffsetCommit(staged, cluster, 4096), version, request);
    return WireError.of(response.topics.get(0).partitions.get(0).errorCode);
  }

  @Test
  void staged_commits_ask_group_and_transaction() {
    assertThat(stage(5, "", -1, "")).isEqualTo(WireError.INVALID_GROUP_ID);
    assertThat(stage(5, "g", 3, "m")).isEqualTo(WireError.ILLEGAL_GENERATION);
    assertThat(stage(6, "g", 3, "m")).isEqualTo(WireError.GROUP_ID_NOT_FOUND);
    assertThat(gateAsked).isEmpty();
    gateAnswer = WireError.TRANSACTION_ABORTABLE;
    assertThat(stage(3, "g", -1, "")).isEqualTo(WireError.INVALID_TXN_STATE);
    assertThat(stage(4, "g", -1, "")).isEqualTo(WireError.TRANSACTION_ABORTABLE);
    gateAnswer = WireError.PRODUCER_FENCED;
    assertThat(sim.log.droppedGuards).as("it may still be let in").isZero();
    assertThat(stage(5, "g", -1, "")).isEqualTo(WireError.INVALID_PRODUCER_EPOCH);
    assertThat(sim.log.droppedGuards).isEqualTo(1);
    assertThat(gateAsked).containsExactly(false, false, true);
    gateAnswer = WireError.NONE;
    assertThat(stage(6, "g", -1, "")).isEqualTo(WireError.NONE);
    assertThat(fetch(9, "g", "t", Uuid.ZERO, true).topics.get(0).partitions.get(0).errorCode)
        .isEqualTo(WireError.UNSTABLE_OFFSET_COMMIT.code());
    assertThat(fetch(9, "g", null, Uuid.ZERO, true).topics).isEmpty();
    sim.log.mark(4, (short) 0, true);
    assertThat(fetch(9, "g", "t", Uuid.ZERO, true).topics.get(0).partitions.get(0).committedOffset)
        .isEqualTo(8);
  }

  @Test
  void a_member_that_was_replaced_stages_nothing() {
    String member = stableMember("s", null);
    assertThat(stage(5, "s", 1, member)).isEqualTo(WireError.NONE);
    assertThat(stage(5, "s", 0, member)).isEqualTo(WireError.ILLEGAL_GENERATION);
    assertThat(stage(5, "s", 1, "ghost")).isEqualTo(WireError.UNKNOWN_MEMBER_ID);
  }
}
