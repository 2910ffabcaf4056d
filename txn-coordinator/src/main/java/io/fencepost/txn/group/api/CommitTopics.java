package io.fencepost.txn.group.api;

import io.fencepost.broker.cluster.ClusterState;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.group.CommitCommand.Entry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sorts the partitions of a commit into those that may be logged and those that are wrong by
 * themselves, whatever the group says. Verdicts come in the order in which partitions were shown.
 */
final class CommitTopics {
  private final ClusterState cluster;
  private final boolean byId;
  private final int metadataMaxLength;
  private final List<Entry> entries = new ArrayList<>();

  /** Per partition shown: its own error, or null if the fate of the whole commit decides. */
  private final List<@Nullable WireError> verdicts = new ArrayList<>();

  private boolean isAnyForTheGroup;

  CommitTopics(ClusterState cluster, boolean byId, int metadataMaxLength) {
    this.cluster = cluster;
    this.byId = byId;
    this.metadataMaxLength = metadataMaxLength;
  }

  /** The name that the request means, or null if no such topic is known. */
  @Nullable String nameOf(String name, Uuid id) {
    TopicState topic = byId ? cluster.topic(id) : cluster.topic(name);
    return topic == null ? null : topic.name();
  }

  /** One partition of a topic that {@link #nameOf} has found, or not. */
  void add(@Nullable String name, Entry entry) {
    if (name == null) {
      verdicts.add(byId ? WireError.UNKNOWN_TOPIC_ID : WireError.UNKNOWN_TOPIC_OR_PARTITION);
      return;
    }
    TopicPartition partition = new TopicPartition(name, entry.partition().partition());
    if (cluster.partition(partition) == null) {
      verdicts.add(WireError.UNKNOWN_TOPIC_OR_PARTITION);
      return;
    }
    isAnyForTheGroup = true;
    if (entry.metadata().length() > metadataMaxLength) {
      verdicts.add(WireError.OFFSET_METADATA_TOO_LARGE);
      return;
    }
    verdicts.add(null);
    entries.add(
        new Entry(
            partition, entry.offset(), entry.leaderEpoch(), entry.metadata(), entry.retentionMs()));
  }

  List<Entry> entries() {
    return entries;
  }

  /** Whether the group has to be asked at all. */
  boolean concernsGroup() {
    return isAnyForTheGroup;
  }

  /** The error of the partition shown at this place, given what became of the whole. */
  WireError verdict(int place, WireError whole) {
    WireError own = verdicts.get(place);
    if (own == null) {
      return whole;
    }
    boolean isGroupStronger = own == WireError.OFFSET_METADATA_TOO_LARGE && whole != WireError.NONE;
    return isGroupStronger ? whole : own;
  }
}
