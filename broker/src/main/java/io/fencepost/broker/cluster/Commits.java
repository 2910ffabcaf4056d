package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The newest state of the cluster and the only way to the next one: durable first, then shown to
 * the brokers. Called under the controller's lock; only the two states are read without.
 */
final class Commits {
  private final BrokerConfig config;
  private final ClusterJournal journal;
  private final boolean isAlone;
  private final Views views;
  private final Restart restart;
  private volatile ClusterState state;
  private volatile BrokerSettings settings;

  /**
   * @param isAlone whether the cluster is one broker, whose own settings count for all of it
   * @param restart says which topics get no leader yet
   */
  Commits(
      BrokerConfig config,
      ClusterJournal journal,
      ClusterState state,
      boolean isAlone,
      Views views,
      Restart restart) {
    this.config = config;
    this.journal = journal;
    this.isAlone = isAlone;
    this.views = views;
    this.restart = restart;
    this.state = state;
    this.settings = settings(state);
  }

  ClusterState state() {
    return state;
  }

  BrokerSettings settings() {
    return settings;
  }

  private BrokerSettings settings(ClusterState of) {
    return isAlone ? BrokerSettings.of(of, config) : BrokerSettings.ofAll(of, config);
  }

  /** Changes of partitions that start from this state. */
  PartitionEdits edits(ClusterState from) {
    return new PartitionEdits(from, settings(from).inForce(), restart::holds);
  }

  /** The topics that get leaders, or lose eligible replicas, just because that state is so. */
  List<TopicState> reviewed(ClusterState next) {
    return edits(next).applyToAll(Elections::reviewed).topics();
  }

  /** Commits a state with these topics changed; KAFKA_STORAGE_ERROR if nothing has changed. */
  WireError attempt(ClusterState next, List<TopicState> changed) {
    try {
      write(next.withTopics(changed), lines(changed));
      return WireError.NONE;
    } catch (DiskException refused) {
      return WireError.KAFKA_STORAGE_ERROR;
    }
  }

  /** What the journal says of topics that are like this from now on. */
  List<String> lines(List<TopicState> changed) {
    List<String> lines = new ArrayList<>();
    for (TopicState topic : changed) {
      TopicState before = state.topic(topic.name());
      lines.add(before == null ? JournalLine.of(topic) : JournalLine.change(before, topic));
    }
    return lines;
  }

  /**
   * Throws {@link DiskException} if the journal refuses it, and then nothing has changed.
   *
   * @return what the disks refused, if no broker could follow; null otherwise
   */
  @Nullable DiskException write(ClusterState next, List<String> lines) {
    if (!lines.isEmpty()) {
      journal.append(next, lines);
    }
    return adopt(next);
  }

  /** Shows a state that needs nothing on disk. */
  @Nullable DiskException adopt(ClusterState next) {
    ClusterState spoken = next.withControllerId(views.speaker(next));
    if (spoken == state) {
      return null;
    }
    state = spoken;
    settings = settings(spoken);
    return views.publish(() -> state);
  }

  void close() {
    try {
      journal.close(state);
    } catch (DiskException full) {
      // All of it is on disk already, in a longer form.
      return;
    }
  }
}
