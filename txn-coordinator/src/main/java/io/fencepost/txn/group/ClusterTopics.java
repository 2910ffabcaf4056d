package io.fencepost.txn.group;

import io.fencepost.broker.cluster.ClusterState;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.txn.group.consumer.TopicsView;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The topics of a cluster state, for groups. */
public record ClusterTopics(ClusterState state) implements TopicsView {
  @Override
  public @Nullable Uuid idOf(String name) {
    TopicState topic = state.topic(name);
    return topic == null ? null : topic.id();
  }

  @Override
  public @Nullable String nameOf(Uuid topicId) {
    TopicState topic = state.topic(topicId);
    return topic == null ? null : topic.name();
  }

  @Override
  public int partitionsOf(Uuid topicId) {
    TopicState topic = state.topic(topicId);
    return topic == null ? 0 : topic.partitions().size();
  }

  @Override
  public SortedSet<String> names() {
    SortedSet<String> names = new TreeSet<>();
    for (TopicState topic : state.topics().values()) {
      if (!topic.internal()) {
        names.add(topic.name());
      }
    }
    return names;
  }

  @Override
  public Object version() {
    return state;
  }
}
