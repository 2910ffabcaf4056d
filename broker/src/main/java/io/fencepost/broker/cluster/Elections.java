package io.fencepost.broker.cluster;

import io.fencepost.broker.wire.WireError;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who leads a partition and who is in sync, decided from its state alone (KIP-966). The next leader
 * is the first of these that is alive, in the order of replicas:
 *
 * <pre>
 * in isr                                  isr stays
 * eligible                                isr is just it
 * the last leader, if both are empty      isr is just it: nobody is known to have more
 * any replica, if the topic allows it     isr is just it: committed records may be lost
 * </pre>
 *
 * Who leaves isr becomes eligible if isr is then smaller than min.insync.replicas; as soon as isr
 * is large enough nobody is eligible. A leader that may go on leading is never replaced. Only when
 * the whole cluster starts are logs compared ({@link #byLogs}).
 */
final class Elections {
  private Elections() {}

  /**
   * What an election goes by.
   *
   * @param minIsr min.insync.replicas of the topic
   * @param mayBeUnclean unclean.leader.election.enable of the topic
   */
  record Terms(IntPredicate isAlive, int minIsr, boolean mayBeUnclean) {}

  /**
   * The partition after a broker went, which the terms no longer count as alive.
   *
   * @param lostRecords whether what it had may be incomplete when it is back
   */
  static PartitionState without(
      PartitionState partition, int broker, boolean lostRecords, Terms terms) {
    List<Integer> isr = without(partition.isr(), broker);
    List<Integer> eligible =
        lostRecords ? without(partition.eligible(), broker) : partition.eligible();
    List<Integer> left =
        isr.size() == partition.isr().size() || lostRecords ? List.of() : List.of(broker);
    return settled(partition, isr, union(partition, eligible, left), terms);
  }

  /** The partition with these in sync; if the leader is none of them, another one leads. */
  static PartitionState withIsr(PartitionState partition, Collection<Integer> isr, Terms terms) {
    List<Integer> wanted = partition.replicas().stream().filter(isr::contains).toList();
    return settled(
        partition, wanted, union(partition, partition.eligible(), partition.isr()), terms);
  }

  /**
   * The partition when its leader cannot go on with its term: led by another one that is in sync or
   * eligible, or else by the same in a new term.
   */
  static PartitionState relieved(PartitionState partition, Terms terms) {
    int leader = partition.leader();
    List<Integer> others = without(partition.isr(), leader);
    List<Integer> mayLead = union(partition, partition.eligible(), partition.isr());
    int next =
        Stream.concat(
                partition.replicas().stream().filter(others::contains),
                partition.replicas().stream().filter(partition.eligible()::contains))
            .filter(replica -> replica != leader && terms.isAlive().test(replica))
            .findFirst()
            .orElse(leader);
    List<Integer> inSync = partition.isr();
    if (next != leader) {
      inSync = others.contains(next) ? others : List.of(next);
    }
    return new PartitionState(
        partition.partition(),
        next,
        partition.leaderEpoch() + 1,
        partition.replicas(),
        inSync,
        eligible(partition, inSync, mayLead, terms),
        PartitionState.NO_LEADER);
  }

  /**
   * The partition when all of its brokers have started anew and nobody leads: of those in sync or
   * eligible the one with most leads, as each of them had all that is committed, and those that
   * have as much are in sync. Who has less than another may have lost it and catches up first.
   *
   * @param ends of all replicas
   */
  static PartitionState byLogs(
      PartitionState partition, SortedMap<Integer, ReplicaEnd> ends, Terms terms) {
    List<Integer> had = union(partition, partition.isr(), partition.eligible());
    Function<Integer, ReplicaEnd> end = id -> ends.getOrDefault(id, ReplicaEnd.NOTHING);
    List<Integer> candidates = had.stream().filter(terms.isAlive()::test).toList();
    ReplicaEnd most = candidates.stream().map(end).max(Comparator.naturalOrder()).orElse(null);
    if (most == null) {
      return reviewed(partition, terms);
    }
    List<Integer> inSync =
        candidates.stream().filter(id -> end.apply(id).compareTo(most) == 0).toList();
    int last = partition.lastLeader();
    return new PartitionState(
        partition.partition(),
        inSync.contains(last) ? last : inSync.get(0),
        partition.leaderEpoch() + 1,
        partition.replicas(),
        inSync,
        eligible(
            partition, inSync, had.stream().filter(id -> !candidates.contains(id)).toList(), terms),
        PartitionState.NO_LEADER);
  }

  /** The partition with a leader, if it had none and one can be had by now. */
  static PartitionState reviewed(PartitionState partition, Terms terms) {
    return settled(partition, partition.isr(), partition.eligible(), terms);
  }

  /** The partition led by this one of its replicas in sync. */
  static PartitionState ledBy(PartitionState partition, int leader) {
    return new PartitionState(
        partition.partition(),
        leader,
        partition.leaderEpoch() + 1,
        partition.replicas(),
        partition.isr(),
        partition.eligible(),
        PartitionState.NO_LEADER);
  }

  /** What an election of that type would come to, and why there is none. */
  record Outcome(WireError error, @Nullable PartitionState elected) {
    static Outcome none(WireError why) {
      return new Outcome(why, null);
    }
  }

  /** The answer to somebody who asks for an election, with Kafka's error codes. */
  static Outcome elect(PartitionState partition, ElectionType type, Terms terms) {
    int preferred = partition.replicas().get(0);
    boolean isPreferred = type == ElectionType.PREFERRED;
    if (isPreferred ? partition.leader() == preferred : partition.hasLeader()) {
      return Outcome.none(WireError.ELECTION_NOT_NEEDED);
    }
    if (isPreferred && partition.hasLeader()) {
      return partition.isr().contains(preferred) && terms.isAlive().test(preferred)
          ? new Outcome(WireError.NONE, ledBy(partition, preferred))
          : Outcome.none(WireError.PREFERRED_LEADER_NOT_AVAILABLE);
    }
    Terms asked = new Terms(terms.isAlive(), terms.minIsr(), !isPreferred || terms.mayBeUnclean());
    PartitionState next = reviewed(partition, asked);
    if (next.hasLeader()) {
      return new Outcome(WireError.NONE, next);
    }
    return Outcome.none(
        isPreferred
            ? WireError.PREFERRED_LEADER_NOT_AVAILABLE
            : WireError.ELIGIBLE_LEADERS_NOT_AVAILABLE);
  }

  private static PartitionState settled(
      PartitionState partition, List<Integer> isr, List<Integer> mayLead, Terms terms) {
    int leader = partition.leader();
    List<Integer> inSync = isr;
    if (!(isr.contains(leader) && terms.isAlive().test(leader))) {
      List<Integer> eligible = eligible(partition, isr, mayLead, terms);
      leader = choice(partition, isr, eligible, terms);
      inSync = leader == PartitionState.NO_LEADER || isr.contains(leader) ? isr : List.of(leader);
    }
    boolean isClean = inSync.equals(isr) || mayLead.contains(leader);
    boolean isChange = leader != partition.leader();
    int lastLeader = partition.hasLeader() ? partition.leader() : partition.lastLeader();
    PartitionState next =
        new PartitionState(
            partition.partition(),
            leader,
            partition.leaderEpoch() + (isChange ? 1 : 0),
            partition.replicas(),
            inSync,
            isClean ? eligible(partition, inSync, mayLead, terms) : List.of(),
            leader == PartitionState.NO_LEADER ? lastLeader : PartitionState.NO_LEADER);
    return next.equals(partition) ? partition : next;
  }

  private static int choice(
      PartitionState partition, List<Integer> isr, List<Integer> eligible, Terms terms) {
    int lastLeader = partition.hasLeader() ? partition.leader() : partition.lastLeader();
    boolean isLost = isr.isEmpty() && eligible.isEmpty();
    Stream<Integer> all = partition.replicas().stream();
    return Stream.of(
            partition.replicas().stream().filter(isr::contains),
            partition.replicas().stream().filter(eligible::contains),
            partition.replicas().stream().filter(replica -> isLost && replica == lastLeader),
            terms.mayBeUnclean() ? all : Stream.<Integer>empty())
        .flatMap(candidates -> candidates)
        .filter(terms.isAlive()::test)
        .findFirst()
        .orElse(PartitionState.NO_LEADER);
  }

  private static List<Integer> eligible(
      PartitionState partition, List<Integer> isr, List<Integer> mayLead, Terms terms) {
    boolean isEnough = isr.size() >= Math.min(terms.minIsr(), partition.replicas().size());
    return isEnough ? List.of() : mayLead.stream().filter(r -> !isr.contains(r)).toList();
  }

  private static List<Integer> without(List<Integer> ids, int broker) {
    return ids.contains(broker) ? ids.stream().filter(id -> id != broker).toList() : ids;
  }

  /** In the order of replicas. */
  private static List<Integer> union(
      PartitionState partition, List<Integer> some, List<Integer> others) {
    return partition.replicas().stream()
        .filter(replica -> some.contains(replica) || others.contains(replica))
        .toList();
  }
}
