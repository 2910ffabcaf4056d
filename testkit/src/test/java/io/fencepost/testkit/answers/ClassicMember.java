package io.fencepost.testkit.answers;

import io.fencepost.broker.wire.message.JoinGroupRequest;
import io.fencepost.broker.wire.message.SyncGroupRequest;
import io.fencepost.broker.wire.message.TxnOffsetCommitRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One member of a {@link Crew}, with a connection of its own: it may wait for an answer while
 * others speak. Remembers its id and its generation, as a consumer does.
 */
final class ClassicMember {
  private static final int RETRIES = 20;
  private static final int FIRST_WITH_SKIP = 9;

  private final Crew crew;
  private final Talk talk;
  private final GroupTalk groups;
  private final ExecutorService voice;
  final @Nullable String instanceId;
  String id = "";
  int generation = -1;
  int sessionMs = 30_000;
  int rebalanceMs = 30_000;
  String type = "consumer";
  @Nullable String protocol;
  List<String> protocols = List.of("range");
  String topic;

  /** What its leader gives it; a number if it is null. */
  byte @Nullable [] share;

  ClassicMember(Crew crew, Talk talk, ExecutorService voice, @Nullable String instanceId) {
    this.crew = crew;
    this.talk = talk;
    this.groups = new GroupTalk(talk);
    this.voice = voice;
    this.instanceId = instanceId;
    this.topic = crew.topic.name();
  }

  /** What is asked, answered some time. */
  record Wait<T>(CompletableFuture<T> answer) {
    boolean isOn() {
      return !answer.isDone();
    }

    T get() {
      return answer.orTimeout(20, TimeUnit.SECONDS).join();
    }
  }

  private JoinGroupRequest request() {
    JoinGroupRequest request = GroupTalk.classicJoining(crew.group, id, crew.topic);
    request.groupInstanceId = instanceId;
    request.sessionTimeoutMs = sessionMs;
    request.rebalanceTimeoutMs = rebalanceMs;
    request.protocolType = type;
    request.protocols.clear();
    for (String name : protocols) {
      JoinGroupRequest.JoinGroupRequestProtocol protocol =
          new JoinGroupRequest.JoinGroupRequestProtocol();
      protocol.name = name;
      protocol.metadata = GroupTalk.subscription(topic);
      request.protocols.add(protocol);
    }
    return request;
  }

  /** The first answer to a newcomer: MEMBER_ID_REQUIRED, and the id that is then its own. */
  GroupTalk.Joined askForId() {
    GroupTalk.Joined joined = groups.join(7, request());
    id = joined.memberId();
    return joined;
  }

  GroupTalk.Joined join() {
    return join(FIRST_WITH_SKIP);
  }

  /** A group that holds nothing but an id given away can be cleaned up before its member comes. */
  GroupTalk.Joined join(int version) {
    boolean isNew = id.isEmpty() && instanceId == null;
    GroupTalk.Joined joined = joinOnce(version);
    for (int i = 0; isNew && joined.error().equals("UNKNOWN_MEMBER_ID") && i < RETRIES; i++) {
      id = "";
      joined = joinOnce(version);
    }
    return joined;
  }

  private GroupTalk.Joined joinOnce(int version) {
    if (id.isEmpty() && instanceId == null) {
      GroupTalk.Joined asked = askForId();
      if (!asked.error().equals("MEMBER_ID_REQUIRED")) {
        return asked;
      }
    }
    GroupTalk.Joined joined = groups.join(version, request());
    if (joined.error().equals("NONE")) {
      id = joined.memberId();
      generation = joined.generation();
      protocol = joined.protocol();
    }
    return joined;
  }

  /** Joins without waiting; the caller looks at the group to see that it has arrived. */
  Wait<GroupTalk.Joined> joining() {
    return new Wait<>(CompletableFuture.supplyAsync(this::join, voice));
  }

  /** Fetches its share; a leader that names members deals the shares out. */
  String sync(ClassicMember... everybody) {
    return sync(type, protocol, everybody);
  }

  String sync(@Nullable String claimedType, @Nullable String claimed, ClassicMember... everybody) {
    SyncGroupRequest request = GroupTalk.syncing(crew.group, id, generation);
    request.groupInstanceId = instanceId;
    request.protocolType = claimedType;
    request.protocolName = claimed;
    request.assignments.clear();
    for (ClassicMember member : everybody) {
      SyncGroupRequest.SyncGroupRequestAssignment dealt =
          new SyncGroupRequest.SyncGroupRequestAssignment();
      byte[] bytes = member.share;
      dealt.memberId = member.id;
      dealt.assignment =
          bytes == null ? new byte[] {(byte) (request.assignments.size() + 1)} : bytes;
      request.assignments.add(dealt);
    }
    return groups.share(request);
  }

  Wait<String> syncing(ClassicMember... everybody) {
    return new Wait<>(CompletableFuture.supplyAsync(() -> sync(everybody), voice));
  }

  String beat() {
    return groups.heartbeat(crew.group, id, instanceId, generation);
  }

  String leave() {
    return groups.leave(crew.group, id, instanceId);
  }

  String commit() {
    return groups.commit(
        8,
        crew.group,
        crew.topic,
        request -> {
          request.memberId = id;
          request.groupInstanceId = instanceId;
          request.generationIdOrMemberEpoch = generation;
        });
  }

  /** Stages an offset in the name of this member. */
  String stage(int version, TxnTalk txn, Producer producer) {
    TxnOffsetCommitRequest request = TxnTalk.staging(producer, crew.group, crew.topic, 1);
    request.memberId = id;
    request.groupInstanceId = instanceId;
    request.generationIdOrMemberEpoch = generation;
    return TxnTalk.patiently(() -> txn.stage(version, request));
  }

  void close() {
    talk.close();
  }
}
