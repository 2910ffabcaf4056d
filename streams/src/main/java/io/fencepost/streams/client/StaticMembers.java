package io.fencepost.streams.client;

import io.fencepost.streams.JobStartException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupResult;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The workers of an instance as static members of the job's group (KIP-345): a worker that starts
 * again after a crash has its place at once, instead of waiting for its own former session to time
 * out. Nobody but the one who holds the instance's lease uses its ids, so whom the group still
 * lists under them is dead.
 *
 * <table>
 * <caption>What becomes of a dead predecessor's member</caption>
 * <tr><th>the group</th><th>its worker starts again</th><th>there are fewer workers now</th></tr>
 * <tr><td>classic</td><td>is taken over, with its partitions, when the worker joins</td>
 *     <td>is removed</td></tr>
 * <tr><td>consumer (KIP-848), before or now</td>
 *     <td>is removed: the coordinator refuses a second one until the first has left</td>
 *     <td>is removed</td></tr>
 * </table>
 *
 * <p>A static member does not leave by closing, so {@link Seat#leave} removes it. Thread-safe.
 */
public final class StaticMembers {
  private static final Logger log = LoggerFactory.getLogger(StaticMembers.class);

  private static final int ASK_MS = 10_000;
  private static final int LEAVE_MS = 200;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int LONGEST_ID = 249;

  private final Admin admin;
  private final String applicationId;
  private final Set<String> workers;
  private final boolean brokerAssigns;
  private final Set<String> heirs = new TreeSet<>();
  private final List<TopicPartition> inherited = new ArrayList<>();
  private boolean isClear;

  /**
   * @param workers the ids of this instance's workers; what they begin with, before the number of
   *     the worker, is the instance's alone
   * @param brokerAssigns in the consumer protocol (KIP-848)
   */
  public StaticMembers(
      Admin admin, String applicationId, List<String> workers, boolean brokerAssigns) {
    this.admin = admin;
    this.applicationId = applicationId;
    this.workers = new TreeSet<>(workers);
    this.brokerAssigns = brokerAssigns;
    for (String worker : workers) {
      if (worker.length() > LONGEST_ID) {
        throw new JobStartException(
            "group.instance.id "
                + worker
                + " has more than "
                + LONGEST_ID
                + " characters; choose a shorter application.id or instance.id");
      }
    }
  }

  /** The place of one worker. */
  Seat seat(String worker) {
    return new Seat() {
      @Override
      public boolean take() {
        return clear().contains(worker);
      }

      @Override
      public void leave(long timeoutMs) {
        StaticMembers.this.leave(worker, timeoutMs);
      }
    };
  }

  /**
   * What the workers will have as soon as they join, as it comes with members that they take over.
   *
   * @throws KafkaException retriable, if it is worth another try
   */
  public synchronized List<TopicPartition> inherited() {
    var unused = clear();
    return inherited;
  }

  /**
   * Removes what a predecessor left and cannot be taken over, once for all workers.
   *
   * @return the workers that take over a member
   * @throws KafkaException retriable, if it is worth another try
   */
  private synchronized Set<String> clear() {
    if (isClear) {
      return heirs;
    }
    ConsumerGroupDescription group = describe();
    Set<String> left = group == null ? new TreeSet<>() : predecessors(group);
    heirs.clear();
    inherited.clear();
    if (group != null && !brokerAssigns && group.type() == GroupType.CLASSIC) {
      heirs.addAll(left);
      heirs.retainAll(workers);
      left.removeAll(workers);
      group.members().stream()
          .filter(member -> member.groupInstanceId().filter(heirs::contains).isPresent())
          .forEach(member -> inherited.addAll(member.assignment().topicPartitions()));
    }
    if (!heirs.isEmpty()) {
      log.info("group {}: taking over {} from a dead process", applicationId, heirs);
    }
    if (!left.isEmpty()) {
      log.info("group {}: removing {} of a dead process", applicationId, left);
      remove(left);
    }
    isClear = true;
    return heirs;
  }

  private void remove(Set<String> members) {
    RemoveMembersFromConsumerGroupResult result = ask(members, ASK_MS);
    for (String member : members) {
      try {
        get(result.memberResult(new MemberToRemove(member)), ASK_MS);
      } catch (UnknownMemberIdException e) {
        // It has gone just now, or this cluster removes no members of the consumer protocol.
        LockSupport.parkNanos(PAUSE_NANOS);
        throw new TimeoutException(
            "group "
                + applicationId
                + " does not let go "
                + member
                + " of a dead process yet; it does when the session times out",
            e);
      }
    }
  }

  private void leave(String worker, long timeoutMs) {
    int patienceMs = (int) Math.max(LEAVE_MS, Math.min(timeoutMs, ASK_MS));
    RemoveMembersFromConsumerGroupResult result = ask(Set.of(worker), ASK_MS);
    try {
      get(result.memberResult(new MemberToRemove(worker)), patienceMs);
    } catch (UnknownMemberIdException | GroupIdNotFoundException e) {
      log.debug("group {}: {} had left before", applicationId, worker);
    } catch (KafkaException e) {
      throw new TimeoutException(
          "member "
              + worker
              + " of group "
              + applicationId
              + ", whose partitions move when its session times out: "
              + e.getMessage(),
          e);
    }
  }

  private RemoveMembersFromConsumerGroupResult ask(Set<String> members, int timeoutMs) {
    List<MemberToRemove> asked = new ArrayList<>();
    members.forEach(member -> asked.add(new MemberToRemove(member)));
    RemoveMembersFromConsumerGroupOptions options =
        new RemoveMembersFromConsumerGroupOptions(asked);
    options.timeoutMs(timeoutMs);
    return admin.removeMembersFromConsumerGroup(applicationId, options);
  }

  private @Nullable ConsumerGroupDescription describe() {
    try {
      return get(
          admin
              .describeConsumerGroups(
                  List.of(applicationId), new DescribeConsumerGroupsOptions().timeoutMs(ASK_MS))
              .describedGroups()
              .values()
              .iterator()
              .next(),
          ASK_MS);
    } catch (GroupIdNotFoundException e) {
      return null;
    }
  }

  private Set<String> predecessors(ConsumerGroupDescription group) {
    String first = workers.iterator().next();
    String prefix = first.substring(0, first.lastIndexOf('-') + 1);
    Set<String> found = new TreeSet<>();
    group
        .members()
        .forEach(
            member ->
                member
                    .groupInstanceId()
                    .filter(id -> id.startsWith(prefix))
                    .filter(id -> id.substring(prefix.length()).matches("[0-9]+"))
                    .ifPresent(found::add));
    return found;
  }

  private static <T> T get(KafkaFuture<T> future, long timeoutMs) {
    try {
      return future.get(timeoutMs, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (java.util.concurrent.TimeoutException e) {
      throw new TimeoutException("no answer within " + timeoutMs + " ms", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException kafka ? kafka : new KafkaException(e.getCause());
    }
  }
}
