package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.wire.WireError;
import java.util.TreeMap;

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

  /** Brokers that registered while they were cut off. */
  private final TreeMap<Integer, BrokerNode> waiting = new TreeMap<>();

  private long lastBrokerEpoch;

  /** Whether leaders could not be elected because the disk refused it. */
  private boolean owesElections;

  Members(Commits commits, Views views) {
    this.commits = commits;
    this.views = views;
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
    BrokerNode registering = waiting.remove(broker);
    if (view != null && registering != null) {
      register(registering);
    } else if (view != null) {
      unfence(broker);
    }
    commits.adopt(commits.state());
  }

  long register(BrokerNode broker) {
    if (views.isCutOff(broker.id())) {
      waiting.put(broker.id(), broker);
      return -1;
    }
    Member former = commits.state().members().get(broker.id());
    if (former != null && former.isAlive() && former.epoch() > 0) {
      depart(broker.id(), Member.Status.FENCED, false);
    }
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
    if (commits.attempt(next, commits.reviewed(next)) != WireError.NONE) {
      owesElections = true;
      commits.adopt(next);
    }
  }

  WireError depart(int broker, Member.Status status, boolean lostRecords) {
    Member member = commits.state().members().get(broker);
    if (member == null) {
      return WireError.BROKER_ID_NOT_REGISTERED;
    }
    ClusterState next = commits.state().withMember(member.as(status));
    return commits.attempt(
        next,
        commits
            .edits(next)
            .applyToAll(
                (partition, terms) -> Elections.without(partition, broker, lostRecords, terms))
            .topics());
  }

  void repair() {
    ClusterState state = commits.state();
    if (owesElections && commits.attempt(state, commits.reviewed(state)) == WireError.NONE) {
      owesElections = false;
    }
  }
}
