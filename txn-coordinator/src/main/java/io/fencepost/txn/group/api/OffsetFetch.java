package io.fencepost.txn.group.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.cluster.ClusterState;
import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.OffsetFetchRequest;
import io.fencepost.broker.wire.message.OffsetFetchResponse;
import io.fencepost.broker.wire.message.OffsetFetchResponse.OffsetFetchResponseGroup;
import io.fencepost.broker.wire.message.OffsetFetchResponse.OffsetFetchResponsePartition;
import io.fencepost.broker.wire.message.OffsetFetchResponse.OffsetFetchResponsePartitions;
import io.fencepost.broker.wire.message.OffsetFetchResponse.OffsetFetchResponseTopic;
import io.fencepost.broker.wire.message.OffsetFetchResponse.OffsetFetchResponseTopics;
import io.fencepost.txn.group.ClusterTopics;
import io.fencepost.txn.group.FetchedOffset;
import io.fencepost.txn.group.GroupCoordinator;
import io.fencepost.txn.group.GroupShard;
import io.fencepost.txn.group.OffsetRule;
import io.fencepost.txn.group.consumer.ConsumerGroup;
import io.fencepost.txn.group.consumer.OffsetClaim;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * OffsetFetch, versions 1 to 10.
 *
 * <ul>
 *   <li>Offset -1 without an error means that nothing is committed, and nothing else means that.
 *   <li>With require-stable, a partition with offsets staged in an open transaction answers
 *       UNSTABLE_OFFSET_COMMIT; asking for all partitions shows those that have a committed offset.
 *   <li>Versions: 2 all partitions of a group, error for the whole; 5 leader epoch; 7
 *       require-stable (KIP-447); 8 several groups (KIP-709); 9 member and epoch (KIP-848, of no
 *       meaning to classic groups; STALE_MEMBER_EPOCH); 10 topic ids instead of names.
 * </ul>
 */
public final class OffsetFetch implements ApiHandler<OffsetFetchRequest, OffsetFetchResponse> {
  private static final int GROUP_ERROR = 2;
  private static final int SEVERAL_GROUPS = 8;
  private static final int TOPIC_IDS = 10;

  private final GroupCoordinator groups;
  private final ClusterView cluster;

  public OffsetFetch(GroupCoordinator groups, ClusterView cluster) {
    this.groups = groups;
    this.cluster = cluster;
  }

  @Override
  public void handle(
      RequestContext context, OffsetFetchRequest request, Reply<OffsetFetchResponse> reply) {
    if (context.apiVersion() < SEVERAL_GROUPS) {
      reply.send(single(context.apiVersion(), request));
      return;
    }
    boolean byId = context.apiVersion() >= TOPIC_IDS;
    OffsetFetchResponse response = new OffsetFetchResponse();
    for (OffsetFetchRequest.OffsetFetchRequestGroup group : request.groups) {
      List<Asked> asked = null;
      if (group.topics != null) {
        asked = new ArrayList<>();
        for (OffsetFetchRequest.OffsetFetchRequestTopics topic : group.topics) {
          asked.add(new Asked(topic.name, topic.topicId, topic.partitionIndexes));
        }
      }
      OffsetFetchResponseGroup fetched = fetch(Asker.of(group), asked, byId, request.requireStable);
      for (OffsetFetchResponseTopics topic : fetched.topics) {
        reply.claim((long) topic.partitions.size() * Reply.STRUCT_BYTES);
      }
      response.groups.add(fetched);
    }
    reply.send(response);
  }

  /** What is asked of one topic, by name or by id. */
  private record Asked(String name, Uuid id, List<Integer> partitions) {}

  /** Who asks for the offsets of which group; no member and -1 for nobody. */
  private record Asker(String groupId, @Nullable String memberId, int memberEpoch) {
    static Asker of(OffsetFetchRequest.OffsetFetchRequestGroup group) {
      return new Asker(group.groupId, group.memberId, group.memberEpoch);
    }

    static Asker nobodyOf(String groupId) {
      return new Asker(groupId, null, -1);
    }

    WireError refusal(GroupShard shard, ClusterView cluster) {
      ConsumerGroup group = shard.findConsumer(groupId);
      return group == null
          ? WireError.NONE
          : new OffsetClaim(group, new ClusterTopics(cluster.state()))
              .ofFetch(memberId, memberEpoch);
    }
  }

  /** The answer of versions before 8, which name one group and no ids. */
  private OffsetFetchResponse single(int version, OffsetFetchRequest request) {
    List<Asked> asked = null;
    if (request.topics != null) {
      asked = new ArrayList<>();
      for (OffsetFetchRequest.OffsetFetchRequestTopic topic : request.topics) {
        asked.add(new Asked(topic.name, Uuid.ZERO, topic.partitionIndexes));
      }
    }
    OffsetFetchResponseGroup group =
        fetch(Asker.nobodyOf(request.groupId), asked, false, request.requireStable);
    OffsetFetchResponse response = new OffsetFetchResponse();
    response.errorCode = group.errorCode;
    for (OffsetFetchResponseTopics topic : group.topics) {
      OffsetFetchResponseTopic answered = new OffsetFetchResponseTopic();
      answered.name = topic.name;
      topic.partitions.forEach(partition -> answered.partitions.add(old(partition)));
      response.topics.add(answered);
    }
    if (group.errorCode != 0 && version < GROUP_ERROR && request.topics != null) {
      for (OffsetFetchRequest.OffsetFetchRequestTopic topic : request.topics) {
        OffsetFetchResponseTopic answered = new OffsetFetchResponseTopic();
        answered.name = topic.name;
        for (int partition : topic.partitionIndexes) {
          answered.partitions.add(old(nothing(partition, WireError.of(group.errorCode))));
        }
        response.topics.add(answered);
      }
    }
    return response;
  }

  private static OffsetFetchResponsePartition old(OffsetFetchResponsePartitions partition) {
    OffsetFetchResponsePartition answered = new OffsetFetchResponsePartition();
    answered.partitionIndex = partition.partitionIndex;
    answered.committedOffset = partition.committedOffset;
    answered.committedLeaderEpoch = partition.committedLeaderEpoch;
    answered.metadata = partition.metadata;
    answered.errorCode = partition.errorCode;
    return answered;
  }

  private OffsetFetchResponseGroup fetch(
      Asker asker, @Nullable List<Asked> asked, boolean byId, boolean requireStable) {
    OffsetFetchResponseGroup answer = new OffsetFetchResponseGroup();
    answer.groupId = asker.groupId();
    ClusterState state = cluster.state();
    groups.read(
        asker.groupId(),
        shard -> {
          WireError refusal = asker.refusal(shard, cluster);
          if (refusal != WireError.NONE) {
            answer.errorCode = refusal.code();
            return List.<OffsetFetchResponseTopics>of();
          }
          OffsetRule rule = new OffsetRule(shard.offsets(), requireStable);
          return asked == null
              ? all(rule, asker.groupId(), byId ? state : null)
              : some(rule, asker.groupId(), asked, byId ? state : null);
        },
        answer.topics::addAll,
        error -> answer.errorCode = error.code());
    return answer;
  }

  private static List<OffsetFetchResponseTopics> all(
      OffsetRule rule, String groupId, @Nullable ClusterState ids) {
    Map<String, OffsetFetchResponseTopics> topics = new LinkedHashMap<>();
    for (FetchedOffset fetched : rule.all(groupId)) {
      String name = fetched.partition().topic();
      OffsetFetchResponseTopics topic =
          topics.computeIfAbsent(name, any -> new OffsetFetchResponseTopics());
      topic.partitions.add(partition(fetched));
      if (ids == null) {
        topic.name = name;
        continue;
      }
      TopicState state = ids.topic(name);
      topic.topicId = state == null ? Uuid.ZERO : state.id();
    }
    List<OffsetFetchResponseTopics> named = new ArrayList<>(topics.values());
    if (ids != null) {
      named.removeIf(topic -> topic.topicId.equals(Uuid.ZERO));
    }
    return named;
  }

  private static List<OffsetFetchResponseTopics> some(
      OffsetRule rule, String groupId, List<Asked> asked, @Nullable ClusterState ids) {
    List<OffsetFetchResponseTopics> topics = new ArrayList<>();
    for (Asked one : asked) {
      OffsetFetchResponseTopics topic = new OffsetFetchResponseTopics();
      TopicState state = ids == null ? null : ids.topic(one.id());
      String name = ids == null ? one.name() : state == null ? null : state.name();
      topic.name = ids == null ? one.name() : "";
      topic.topicId = one.id();
      for (int partition : one.partitions()) {
        topic.partitions.add(
            name == null
                ? nothing(partition, WireError.UNKNOWN_TOPIC_ID)
                : partition(rule.one(groupId, name, partition)));
      }
      topics.add(topic);
    }
    return topics;
  }

  private static OffsetFetchResponsePartitions partition(FetchedOffset fetched) {
    OffsetFetchResponsePartitions partition =
        nothing(fetched.partition().partition(), fetched.error());
    partition.committedOffset = fetched.offset();
    partition.committedLeaderEpoch = fetched.leaderEpoch();
    partition.metadata = fetched.metadata();
    return partition;
  }

  private static OffsetFetchResponsePartitions nothing(int index, WireError error) {
    OffsetFetchResponsePartitions partition = new OffsetFetchResponsePartitions();
    partition.partitionIndex = index;
    partition.committedOffset = -1;
    partition.committedLeaderEpoch = -1;
    partition.metadata = "";
    partition.errorCode = error.code();
    return partition;
  }
}
