package io.fencepost.streams.client;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Who works on which partitions of a job, as the group's coordinator tells anybody who asks, for
 * both protocols. A member's client id says more: {@code APPLICATION-INSTANCE-WORKER@HOST:PORT}.
 * Thread-safe; answers are kept for {@link #FRESH_NANOS}.
 */
public final class GroupView {
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long PATIENCE_MS = 10_000;

  private final Admin admin;
  private final String applicationId;
  private List<Member> members = List.of();
  private @Nullable KafkaException failure;
  private long askedAtNanos = System.nanoTime() - FRESH_NANOS;

  /**
   * One worker.
   *
   * @param instance null where the client id was configured and does not tell it
   * @param address where it set one
   * @param partitions what it works on; empty while the group rebalances
   */
  public record Member(
      @Nullable String instance, @Nullable String address, Set<TopicPartition> partitions) {}

  public GroupView(Admin admin, String applicationId) {
    this.admin = admin;
    this.applicationId = applicationId;
  }

  static String clientId(String name, @Nullable String address) {
    return address == null ? name : name + "@" + address;
  }

  /**
   * The members as of a few seconds ago.
   *
   * @throws KafkaException if the cluster does not answer
   */
  public synchronized List<Member> members() {
    if (System.nanoTime() - askedAtNanos >= FRESH_NANOS) {
      askAgain();
    }
    if (failure != null) {
      throw failure;
    }
    return members;
  }

  /** A failure counts as long as an answer, or each caller would wait for its own. */
  private void askAgain() {
    failure = null;
    try {
      members = ask();
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      failure = e;
    }
    askedAtNanos = System.nanoTime();
  }

  /** The member that works on such a partition; null if no one does, or it is not known. */
  public @Nullable Member ownerOf(Predicate<TopicPartition> input) {
    for (Member member : members()) {
      if (member.partitions().stream().anyMatch(input)) {
        return member;
      }
    }
    return null;
  }

  private List<Member> ask() {
    try {
      return admin
          .describeConsumerGroups(List.of(applicationId))
          .describedGroups()
          .values()
          .iterator()
          .next()
          .get(PATIENCE_MS, TimeUnit.MILLISECONDS)
          .members()
          .stream()
          .map(member -> member(member, applicationId))
          .toList();
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException kafka ? kafka : new KafkaException(e.getCause());
    } catch (TimeoutException e) {
      throw new org.apache.kafka.common.errors.TimeoutException(
          "group " + applicationId + " was not described within " + PATIENCE_MS + " ms", e);
    }
  }

  private static Member member(MemberDescription description, String applicationId) {
    return member(
        description.clientId(), applicationId, description.assignment().topicPartitions());
  }

  static Member member(String clientId, String applicationId, Set<TopicPartition> partitions) {
    int at = clientId.lastIndexOf('@');
    String name = at < 0 ? clientId : clientId.substring(0, at);
    String address = at < 0 ? null : clientId.substring(at + 1);
    String prefix = applicationId + "-";
    int end = name.lastIndexOf('-');
    boolean isOurs = name.startsWith(prefix) && end > prefix.length();
    return new Member(
        isOurs ? name.substring(prefix.length(), end) : null, address, Set.copyOf(partitions));
  }
}
