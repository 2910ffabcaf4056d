package io.fencepost.streams.client;

import io.fencepost.streams.store.TaskId;
import io.fencepost.streams.task.JobPlan;
import io.fencepost.streams.task.TaskSharing;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Shares tasks among the members of a classic group as {@link TaskSharing} says, cooperatively
 * (KIP-429): a task that moves is first given up by its owner and taken in the next round, all
 * others go on meanwhile. Members tell the leader in their user data which tasks' state they have
 * on disk.
 */
public final class TaskAssignor implements ConsumerPartitionAssignor, Configurable {
  static final String PLAN = "fencepost.job.plan";
  static final String COPIES = "fencepost.state.copies";
  private static final byte VERSION = 1;

  private @Nullable JobPlan plan;
  private Supplier<Map<TaskId, Long>> copies = Map::of;

  @Override
  @SuppressWarnings("unchecked") // Clients put it there
  public void configure(Map<String, ?> configs) {
    plan = (JobPlan) configs.get(PLAN);
    Object given = configs.get(COPIES);
    if (given != null) {
      copies = (Supplier<Map<TaskId, Long>>) given;
    }
  }

  @Override
  public String name() {
    return "fencepost-tasks";
  }

  @Override
  public List<RebalanceProtocol> supportedProtocols() {
    return List.of(RebalanceProtocol.COOPERATIVE, RebalanceProtocol.EAGER);
  }

  @Override
  public @Nullable ByteBuffer subscriptionUserData(Set<String> topics) {
    return encode(copies.get());
  }

  @Override
  public GroupAssignment assign(Cluster cluster, GroupSubscription group) {
    Map<TaskId, List<TopicPartition>> tasks = tasks(cluster, group);
    List<TaskSharing.Member> members = new ArrayList<>();
    Map<TaskId, Integer> newest = newestClaims(group);
    group
        .groupSubscription()
        .forEach(
            (id, subscription) -> {
              TreeSet<TaskId> owned = new TreeSet<>();
              for (TaskId task : claims(subscription)) {
                if (generation(subscription) == newest.getOrDefault(task, -1)) {
                  owned.add(task);
                }
              }
              members.add(new TaskSharing.Member(id, owned, decode(subscription.userData())));
            });
    Map<String, TreeSet<TaskId>> shares = new TaskSharing(members).share(tasks.keySet());
    return new GroupAssignment(assignments(shares, members, tasks));
  }

  /** Tasks that another member still works on are left out: it gives them up, then all rejoin. */
  private static Map<String, Assignment> assignments(
      Map<String, TreeSet<TaskId>> shares,
      List<TaskSharing.Member> members,
      Map<TaskId, List<TopicPartition>> tasks) {
    Map<TaskId, Set<String>> holders = new HashMap<>();
    for (TaskSharing.Member member : members) {
      for (TaskId task : member.owned()) {
        holders.computeIfAbsent(task, unused -> new HashSet<>()).add(member.id());
      }
    }
    Map<String, Assignment> assignments = new HashMap<>();
    shares.forEach(
        (member, share) -> {
          List<TopicPartition> partitions = new ArrayList<>();
          for (TaskId task : share) {
            Set<String> others = holders.getOrDefault(task, Set.of());
            if (others.isEmpty() || others.equals(Set.of(member))) {
              partitions.addAll(tasks.getOrDefault(task, List.of()));
            }
          }
          assignments.put(member, new Assignment(partitions));
        });
    return assignments;
  }

  private Map<TaskId, List<TopicPartition>> tasks(Cluster cluster, GroupSubscription group) {
    TreeSet<String> topics = new TreeSet<>();
    group.groupSubscription().values().forEach(member -> topics.addAll(member.topics()));
    Map<TaskId, List<TopicPartition>> tasks = new TreeMap<>();
    for (String topic : topics) {
      Integer count = cluster.partitionCountForTopic(topic);
      for (int partition = 0; count != null && partition < count; partition++) {
        tasks
            .computeIfAbsent(taskOf(topic, partition), unused -> new ArrayList<>())
            .add(new TopicPartition(topic, partition));
      }
    }
    return tasks;
  }

  private TaskId taskOf(String topic, int partition) {
    if (plan == null) {
      throw new IllegalStateException("the assignor was made without a plan of the job");
    }
    return new TaskId(plan.of(topic).name(), partition);
  }

  /** Who lost its partitions without noticing claims them still, with an older generation. */
  private Map<TaskId, Integer> newestClaims(GroupSubscription group) {
    Map<TaskId, Integer> newest = new HashMap<>();
    for (Subscription subscription : group.groupSubscription().values()) {
      for (TaskId task : claims(subscription)) {
        newest.merge(task, generation(subscription), Math::max);
      }
    }
    return newest;
  }

  private Set<TaskId> claims(Subscription subscription) {
    TreeSet<TaskId> claims = new TreeSet<>();
    for (TopicPartition partition : subscription.ownedPartitions()) {
      claims.add(taskOf(partition.topic(), partition.partition()));
    }
    return claims;
  }

  private static int generation(Subscription subscription) {
    return subscription.generationId().orElse(-1);
  }

  static ByteBuffer encode(Map<TaskId, Long> copies) {
    int size = 1 + Integer.BYTES;
    Map<TaskId, byte[]> names = new TreeMap<>();
    for (TaskId task : copies.keySet()) {
      byte[] name = task.part().getBytes(StandardCharsets.UTF_8);
      names.put(task, name);
      size += Short.BYTES + name.length + Integer.BYTES + Long.BYTES;
    }
    ByteBuffer buffer = ByteBuffer.allocate(size).put(VERSION).putInt(names.size());
    names.forEach(
        (task, name) ->
            buffer
                .putShort((short) name.length)
                .put(name)
                .putInt(task.partition())
                .putLong(copies.getOrDefault(task, 0L)));
    return buffer.flip();
  }

  /** Nothing where it was written by a later version. */
  static Map<TaskId, Long> decode(@Nullable ByteBuffer userData) {
    Map<TaskId, Long> copies = new TreeMap<>();
    if (userData == null || !userData.hasRemaining()) {
      return copies;
    }
    ByteBuffer buffer = userData.duplicate();
    if (buffer.get() != VERSION) {
      return copies;
    }
    for (int left = buffer.getInt(); left > 0; left--) {
      byte[] name = new byte[buffer.getShort()];
      buffer.get(name);
      TaskId task = new TaskId(new String(name, StandardCharsets.UTF_8), buffer.getInt());
      copies.put(task, buffer.getLong());
    }
    return copies;
  }
}
