package io.fencepost.broker.core;

import io.fencepost.broker.check.Finding;
import io.fencepost.broker.check.Findings;
import io.fencepost.broker.cluster.ClusterState;
import io.fencepost.broker.cluster.JournalCheck;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.replica.PartitionCheck;
import io.fencepost.broker.replica.PartitionIdentity;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Checks everything in a broker's directory but the coordinators' rows: identity, metadata, and
 * each partition against itself. Changes nothing. The directory must be at rest.
 */
public final class DirectoryCheck {
  private static final String PARTITION_FILE = "/partition.metadata";
  private static final String STRAY = "stray-";

  private final Disk disk;
  private final Findings findings;
  private final TreeMap<TopicPartition, PartitionCheck.Summary> partitions = new TreeMap<>();

  private DirectoryCheck(Disk disk, Findings findings) {
    this.disk = disk;
    this.findings = findings;
  }

  /**
   * What was looked at.
   *
   * @param partitions those whose directory exists
   */
  public record Summary(
      ClusterState cluster, TreeMap<TopicPartition, PartitionCheck.Summary> partitions) {}

  /** The directory of a broker that is alone. */
  public static Summary run(Disk disk, Findings findings) {
    DirectoryIdentity.check(disk, findings);
    ClusterState cluster = JournalCheck.run(disk, findings);
    return check(disk, cluster, partition -> true, findings);
  }

  /** What the controller of a cluster knows. */
  public static ClusterState controller(Disk disk, Findings findings) {
    DirectoryIdentity.check(disk, findings);
    return JournalCheck.run(disk, findings);
  }

  /** The directory of one of a cluster's brokers. */
  public static Summary run(Disk disk, ClusterState cluster, int broker, Findings findings) {
    DirectoryIdentity.check(disk, findings);
    return check(disk, cluster, partition -> partition.replicas().contains(broker), findings);
  }

  private static Summary check(
      Disk disk, ClusterState cluster, Predicate<PartitionState> isHere, Findings findings) {
    DirectoryCheck check = new DirectoryCheck(disk, findings);
    for (TopicState topic : cluster.topics().values()) {
      for (PartitionState partition : topic.partitions()) {
        if (isHere.test(partition)) {
          check.partition(topic, partition);
        }
      }
    }
    check.orphans(cluster);
    return new Summary(cluster, check.partitions);
  }

  private void partition(TopicState topic, PartitionState state) {
    TopicPartition partition = new TopicPartition(topic.name(), state.partition());
    String directory = partition.toString();
    if (!disk.exists(directory)) {
      missing(directory, state);
      return;
    }
    try {
      partitions.put(
          partition, PartitionCheck.run(disk, directory, topic.id(), isCompacted(topic), findings));
    } catch (DiskException unreadable) {
      findings.damage(directory, Finding.WHOLE, String.valueOf(unreadable.getMessage()));
    }
  }

  /** A topic is in the metadata before it has directories, and gets them at the next start. */
  private void missing(String directory, PartitionState state) {
    if (state.replicas().size() > 1) {
      findings.repairable(
          directory,
          Finding.WHOLE,
          "the replica has no directory; the next start makes it, and the leader fills it");
    } else if (state.leaderEpoch() > 0) {
      findings.damage(
          directory, Finding.WHOLE, "the partition's directory is missing, with all its records");
    } else {
      findings.repairable(
          directory,
          Finding.WHOLE,
          "the new partition has no directory yet; the next start makes it");
    }
  }

  private static boolean isCompacted(TopicState topic) {
    return topic.configs().getOrDefault("cleanup.policy", "").contains("compact");
  }

  private void orphans(ClusterState cluster) {
    for (String name : disk.list("")) {
      if (!name.startsWith(STRAY)
          && disk.exists(name + PARTITION_FILE)
          && !isKnown(cluster, name)) {
        orphan(cluster, name);
      }
    }
  }

  private void orphan(ClusterState cluster, String directory) {
    Uuid topicId = PartitionIdentity.topicId(disk, directory);
    if (topicId != null && cluster.gone().contains(topicId)) {
      findings.repairable(
          directory,
          Finding.WHOLE,
          "it is what is left of a deleted topic; the next start deletes it");
    } else {
      findings.damage(
          directory,
          Finding.WHOLE,
          "the metadata has lost its topic"
              + (topicId == null ? "" : "; the next start keeps it as stray-N." + directory));
    }
  }

  private static boolean isKnown(ClusterState cluster, String directory) {
    int dash = directory.lastIndexOf('-');
    TopicState topic = dash < 0 ? null : cluster.topic(directory.substring(0, dash));
    String number = directory.substring(dash + 1);
    return topic != null
        && number.matches("[0-9]{1,9}")
        && Integer.parseInt(number) < topic.partitions().size();
  }
}
