package io.fencepost.testkit.sim;

import io.fencepost.broker.port.Invariant;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.message.ConsumerGroupHeartbeatRequest;
import io.fencepost.broker.wire.message.ConsumerGroupHeartbeatResponse;
import io.fencepost.broker.wire.message.OffsetCommitRequest;
import io.fencepost.broker.wire.message.OffsetCommitResponse;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A member of a group of the newer protocol: sends heartbeats, takes and gives up what it is told,
 * commits what it owns, and leaves and comes back now and then. Not thread-safe.
 */
final class SimMember {
  static final String GROUP = "tellers";

  private static final int HEARTBEAT_VERSION = 1;
  private static final int COMMIT_VERSION = 9;
  private static final int LEAVE_PER_MILLE = 20;
  private static final int LEAVING = -1;
  private static final int REBALANCE_TIMEOUT_MS = 20_000;

  /** Members rest so many times as long as other clients. */
  private static final int CALMER = 8;

  private final String name;
  private final String topic;
  private final Sim sim;
  private final GroupCommits commits;
  private final SimClient client;
  private final Scheduler scheduler;
  private final SimEntropy entropy;
  private final TreeSet<Integer> owned = new TreeSet<>();
  private Uuid topicId = Uuid.ZERO;
  private int epoch;
  private boolean stopped;

  SimMember(String name, String topic, GroupCommits commits, Sim sim) {
    this.name = name;
    this.topic = topic;
    this.commits = commits;
    this.sim = sim;
    this.client = new SimClient(name, sim.cluster()::route, sim.scheduler());
    this.scheduler = sim.scheduler();
    this.entropy = sim.entropy().named("member " + name);
  }

  void start() {
    beat();
  }

  void stop() {
    stopped = true;
  }

  /** What it believes to own. */
  SortedSet<Integer> owned() {
    return Collections.unmodifiableSortedSet(owned);
  }

  int epoch() {
    return epoch;
  }

  @Override
  public String toString() {
    return name + " in epoch " + epoch + " with " + owned;
  }

  private void beat() {
    if (stopped) {
      return;
    }
    boolean isLeaving = epoch > 0 && entropy.oneOf(LEAVE_PER_MILLE) && !sim.isCalm();
    client.call(
        ApiKey.CONSUMER_GROUP_HEARTBEAT,
        HEARTBEAT_VERSION,
        heartbeat(isLeaving ? LEAVING : epoch),
        answer -> onBeat(isLeaving, answer));
  }

  private ConsumerGroupHeartbeatRequest heartbeat(int asEpoch) {
    ConsumerGroupHeartbeatRequest request = new ConsumerGroupHeartbeatRequest();
    request.groupId = GROUP;
    request.memberId = name;
    request.memberEpoch = asEpoch;
    request.rebalanceTimeoutMs = REBALANCE_TIMEOUT_MS;
    request.subscribedTopicNames = List.of(topic);
    request.topicPartitions = List.of();
    if (!owned.isEmpty()) {
      ConsumerGroupHeartbeatRequest.TopicPartitions mine =
          new ConsumerGroupHeartbeatRequest.TopicPartitions();
      mine.topicId = topicId;
      mine.partitions = List.copyOf(owned);
      request.topicPartitions = List.of(mine);
    }
    return request;
  }

  private void onBeat(boolean isLeaving, @Nullable WireMessage answer) {
    if (answer instanceof ConsumerGroupHeartbeatResponse response) {
      WireError error = WireError.of(response.errorCode);
      switch (error) {
        case NONE -> {
          if (isLeaving) {
            startOver();
          } else {
            take(response);
          }
        }
        case UNKNOWN_MEMBER_ID, FENCED_MEMBER_EPOCH -> startOver();
        default -> Invariant.check(error.isRetriable(), "%s was answered %s", this, error);
      }
    }
    if (owned.isEmpty() || answer == null) {
      rest();
    } else {
      commit();
    }
  }

  private void startOver() {
    epoch = 0;
    owned.clear();
  }

  private void take(ConsumerGroupHeartbeatResponse response) {
    epoch = response.memberEpoch;
    ConsumerGroupHeartbeatResponse.Assignment assignment = response.assignment;
    if (assignment != null) {
      owned.clear();
      for (ConsumerGroupHeartbeatResponse.TopicPartitions topicPartitions :
          assignment.topicPartitions) {
        topicId = topicPartitions.topicId;
        owned.addAll(topicPartitions.partitions);
      }
    }
  }

  private void commit() {
    int partition = owned.first();
    long offset = commits.next(name);
    OffsetCommitRequest.OffsetCommitRequestPartition committed =
        new OffsetCommitRequest.OffsetCommitRequestPartition();
    committed.partitionIndex = partition;
    committed.committedOffset = offset;
    OffsetCommitRequest.OffsetCommitRequestTopic named =
        new OffsetCommitRequest.OffsetCommitRequestTopic();
    named.name = topic;
    named.partitions.add(committed);
    OffsetCommitRequest request = new OffsetCommitRequest();
    request.groupId = GROUP;
    request.memberId = name;
    request.generationIdOrMemberEpoch = epoch;
    request.topics.add(named);
    client.call(
        ApiKey.OFFSET_COMMIT,
        COMMIT_VERSION,
        request,
        answer -> {
          if (answer instanceof OffsetCommitResponse response) {
            onCommit(partition, offset, response.topics.get(0).partitions.get(0).errorCode);
          }
          rest();
        });
  }

  private void onCommit(int partition, long offset, short errorCode) {
    WireError error = WireError.of(errorCode);
    switch (error) {
      case NONE -> commits.acknowledged(partition, offset);
      case UNKNOWN_MEMBER_ID, STALE_MEMBER_EPOCH, GROUP_ID_NOT_FOUND -> {}
      default -> Invariant.check(error.isRetriable(), "%s could not commit: %s", this, error);
    }
  }

  private void rest() {
    int restMs = 1 + entropy.nextInt(CALMER * sim.pauseMs());
    var unused = scheduler.after(restMs, this::beat);
  }
}
