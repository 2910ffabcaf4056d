package io.fencepost.broker.core;

import io.fencepost.broker.cluster.BrokerMetadata;
import io.fencepost.broker.cluster.Controller;
import io.fencepost.broker.cluster.IsrChange;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.replica.IsrProposal;
import io.fencepost.broker.replica.IsrProposals;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Brings the wishes of this broker's leaders to the controller, from the scheduler: those that come
 * while one is on its way go together, so that many partitions cost one write. Thread-safe.
 */
final class IsrRequests implements IsrProposals {
  private final BrokerMetadata cluster;
  private final Controller controller;
  private final Scheduler scheduler;
  private List<Request> queued = new ArrayList<>();

  private record Request(IsrChange change, Consumer<WireError> refused) {}

  IsrRequests(BrokerMetadata cluster, Controller controller, Scheduler scheduler) {
    this.cluster = cluster;
    this.controller = controller;
    this.scheduler = scheduler;
  }

  @Override
  public void propose(IsrProposal proposal, Consumer<WireError> refused) {
    TopicState topic = cluster.state().topic(proposal.topicPartition().topic());
    if (topic == null) {
      refused.accept(WireError.UNKNOWN_TOPIC_OR_PARTITION);
      return;
    }
    IsrChange change =
        new IsrChange(
            proposal.topicPartition(),
            topic.id(),
            proposal.leaderEpoch(),
            proposal.expected(),
            proposal.wanted(),
            proposal.brokerEpochs());
    boolean isFirst;
    synchronized (this) {
      isFirst = queued.isEmpty();
      queued.add(new Request(change, refused));
    }
    if (isFirst) {
      scheduler.run(this::send);
    }
  }

  private void send() {
    List<Request> requests;
    synchronized (this) {
      requests = queued;
      queued = new ArrayList<>();
    }
    List<WireError> answers =
        controller.alterIsr(cluster, requests.stream().map(Request::change).toList());
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i) != WireError.NONE) {
        requests.get(i).refused().accept(answers.get(i));
      }
    }
  }
}
