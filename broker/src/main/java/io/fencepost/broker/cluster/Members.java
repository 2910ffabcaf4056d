package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Which brokers take part and are reached. Called under the controller's lock, whose methods say
 * what these do.
 *
 * <pre>
 * from            to       by
 * ALIVE           FENCED   fence
 * ALIVE, FENCED   STOPPED  leave
 * FENCED          ALIVE    unfence, connect, register
 * STOPPED         ALIVE    register
 * ALIVE           ALIVE    register: first of its process since the cluster started; else by FENCED
 * </pre>
 */
final class Members {
  private final Commits commits;
  private final Views views;
  private final Restart restart;
  private final Consumer<String> notices;

  /** Brokers that registered while they were cut off. */
  private final TreeMap<Integer, Arrival> waiting = new TreeMap<>();

  private long lastBrokerEpoch;

  /** Whether leaders could not be elected because the disk refused it. */
  private boolean owesElections;

  Members(Commits commits, Views views, Restart restart, Consumer<String> notices) {
    this.commits = commits;
    this.views = views;
    this.restart = restart;
    this.notices = notices;
  }

  /** A broker that has started, and how far its logs go. */
  record Arrival(BrokerNode node, SortedMap<TopicPartition, ReplicaEnd> ends) {
    boolean lostRecords() {
      return ends.values().stream().anyMatch(ReplicaEnd::isDamaged);
    }
  }

  BrokerMetadata attach(Controller controller, BrokerConfig atStart) {
    ClusterState state = commits.state();
    boolean isConnected = !views.isCutOff(atStart.brokerId());
    ClusterState known =
        isConnected ? state : ClusterState.empty(state.clusterId(), state.controllerId());
    BrokerMetadata view = new BrokerMetadata(controller, atStart, known, isConnected);
    views.attach(view);
    return view;
  }

  void disconnect(int broker) {
    views.disconnect(broker);
    commits.adopt(commits.state());
    BrokerMetadata view = views.find(broker);
    if (view != null) {
      view.cutOff(commits.state().controllerId());
    }
  }

  void connect(int broker) {
    views.connect(broker);
    BrokerMetadata view = views.find(broker);
    if (view != null) {
      // What the disk refuses now is repaired later.
      view.reconnect(commits.state());
    }
    Arrival registering = waiting.remove(broker);
    if (view != null && registering != null) {
      register(registering);
    } else if (view != null) {
      unfence(broker);
    }
    commits.adopt(commits.state());
  }

  long register(Arrival arrival) {
    BrokerNode broker = arrival.node();
    boolean isSuspect = restart.isOver() && arrival.lostRecords();
    if (isSuspect) {
      depart(broker.id(), Member.Status.FENCED, true);
    }
    if (views.isCutOff(broker.id())) {
      waiting.put(broker.id(), arrival);
      return -1;
    }
    Member former = commits.state().members().get(broker.id());
    if (former != null && former.isAlive() && former.epoch() > 0) {
      depart(broker.id(), Member.Status.FENCED, false);
    }
    restart.arrived(broker.id(), arrival.ends());
    lastBrokerEpoch++;
    admit(new Member(broker, lastBrokerEpoch, Member.Status.ALIVE));
    return lastBrokerEpoch;
  }

  void unfence(int broker) {
    Member member = commits.state().members().get(broker);
    if (member != null && member.status() == Member.Status.FENCED && member.epoch() > 0) {
      admit(member.as(Member.Status.ALIVE));
    }
  }

  /** It is alive in any case; if the disk refuses its elections they are owed. */
  private void admit(Member member) {
    ClusterState next = commits.state().withMember(member);
    if (elect(next) != WireError.NONE) {
      owesElections = true;
      commits.adopt(next);
    }
  }

  /** Commits this state, with leaders where there can be some by now. */
  private WireError elect(ClusterState next) {
    if (restart.isOver() || !restart.isComplete(next)) {
      return commits.attempt(next, commits.reviewed(next));
    }
    PartitionEdits edits = commits.edits(next);
    List<String> doubts = new ArrayList<>();
    for (TopicState topic : next.topics().values()) {
      Elections.Terms terms = edits.freeTerms(topic);
      for (PartitionState before : topic.partitions()) {
        PartitionState after =
            restart.holds(topic)
                ? restart.elected(topic.name(), before, terms)
                : Elections.reviewed(before, terms);
        if (!after.equals(before)) {
          edits.put(topic, after);
        }
        String doubt = restart.holds(topic) ? restart.doubt(topic.name(), before, after) : null;
        if (doubt != null) {
          doubts.add(doubt);
        }
      }
    }
    WireError error = commits.attempt(next, edits.topics());
    if (error == WireError.NONE) {
      restart.end();
      doubts.forEach(notices);
    }
    return error;
  }

  WireError depart(int broker, Member.Status status, boolean lostRecords) {
    Member member = commits.state().members().get(broker);
    if (member == null) {
      return WireError.BROKER_ID_NOT_REGISTERED;
    }
    restart.departed(broker);
    ClusterState next = commits.state().withMember(member.as(status));
    WireError error =
        commits.attempt(
            next,
            commits
                .edits(next)
                .applyToAll(
                    (partition, terms) -> Elections.without(partition, broker, lostRecords, terms))
                .topics());
    if (error == WireError.NONE && !restart.isOver()) {
      owesElections = elect(commits.state()) != WireError.NONE;
    }
    return error;
  }

  void repair() {
    ClusterState state = commits.state();
    if (owesElections && elect(state) == WireError.NONE) {
      owesElections = false;
    }
  }
}
