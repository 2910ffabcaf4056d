package io.fencepost.txn.main;

import io.fencepost.broker.check.Finding;
import io.fencepost.broker.check.Findings;
import io.fencepost.broker.cluster.ClusterState;
import io.fencepost.broker.cluster.JournalReader;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.core.DirectoryCheck;
import io.fencepost.broker.core.ReplicaComparison;
import io.fencepost.broker.disk.ReadOnlyDisk;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.txn.check.CoordinatorCheck;
import io.fencepost.txn.ids.ProducerIds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The directory of a cluster that does not run: each broker by itself, then the replicas. */
final class ClusterDirectory {
  private static final String PARTITION_FILE = "/partition.metadata";

  private final Path directory;
  private final Findings findings;
  private final TreeMap<Integer, Checked> brokers = new TreeMap<>();

  /** One broker's directory, after its own check. */
  private record Checked(Disk disk, DirectoryCheck.Summary summary) {}

  private ClusterDirectory(Path directory, Findings findings) {
    this.directory = directory;
    this.findings = findings;
  }

  static DataDirectory.Checked check(Path directory, Findings findings) {
    return new ClusterDirectory(directory, findings).check();
  }

  /**
   * What a cluster cannot start without and has lost, in words; null if nothing. Its brokers would
   * move all their partitions out of the way.
   */
  static @Nullable String missing(Path directory) {
    Disk all = new ReadOnlyDisk(directory);
    if (!all.exists(FencepostCluster.CONTROLLER)) {
      return all.exists(FencepostCluster.BROKER + 1)
          ? "its directory " + FencepostCluster.CONTROLLER
          : null;
    }
    String journal = FencepostCluster.CONTROLLER + "/" + JournalReader.PATH;
    return !all.exists(journal) && keepsPartitions(all) ? "its file " + journal : null;
  }

  private static boolean keepsPartitions(Disk all) {
    return all.list("").stream()
        .filter(name -> name.startsWith(FencepostCluster.BROKER))
        .anyMatch(
            broker ->
                all.list(broker).stream()
                    .anyMatch(name -> all.exists(broker + "/" + name + PARTITION_FILE)));
  }

  private DataDirectory.Checked check() {
    Disk controller = new ReadOnlyDisk(directory.resolve(FencepostCluster.CONTROLLER));
    Findings ofController = under(FencepostCluster.CONTROLLER);
    String missing = missing(directory);
    if (missing != null) {
      findings.damage(
          FencepostCluster.CONTROLLER,
          Finding.WHOLE,
          "the cluster has lost "
              + missing
              + ", which names all topics: it does not start without, and nothing else can be"
              + " checked");
      return new DataDirectory.Checked(0, 0, 0);
    }
    ClusterState cluster = DirectoryCheck.controller(controller, ofController);
    List<CoordinatorCheck> coordinators = new ArrayList<>();
    for (int id : brokerIds(cluster)) {
      String name = FencepostCluster.BROKER + id;
      Disk disk = new ReadOnlyDisk(directory.resolve(name));
      if (!disk.exists("")) {
        missing(name);
        continue;
      }
      DirectoryCheck.Summary summary = DirectoryCheck.run(disk, cluster, id, under(name));
      brokers.put(id, new Checked(disk, summary));
      coordinators.add(DataDirectory.replay(disk, summary, under(name)));
    }
    coordinators.forEach(each -> each.hanging(coordinators));
    long maxProducerId =
        coordinators.stream().mapToLong(CoordinatorCheck::maxProducerId).max().orElse(-1);
    ProducerIds.check(controller, maxProducerId, ofController);
    cluster.topics().values().forEach(this::compare);
    return new DataDirectory.Checked(
        cluster.topics().size(),
        brokers.values().stream().mapToInt(each -> each.summary.partitions().size()).sum(),
        brokers.values().stream().mapToLong(each -> DataDirectory.batchCount(each.summary)).sum());
  }

  /** Those that have a directory, and those that keep replicas. */
  private TreeSet<Integer> brokerIds(ClusterState cluster) {
    TreeSet<Integer> ids = new TreeSet<>();
    for (String name : new ReadOnlyDisk(directory).list("")) {
      String id = name.substring(Math.min(name.length(), FencepostCluster.BROKER.length()));
      if (name.startsWith(FencepostCluster.BROKER) && id.matches("[1-9][0-9]{0,8}")) {
        ids.add(Integer.parseInt(id));
      }
    }
    cluster.topics().values().stream()
        .flatMap(topic -> topic.partitions().stream())
        .forEach(partition -> ids.addAll(partition.replicas()));
    return ids;
  }

  private void missing(String broker) {
    findings.damage(
        broker,
        Finding.WHOLE,
        "the directory is missing, with all replicas of that broker; the next start makes it, and"
            + " leaders that have them fill it");
  }

  /** Findings of a directory below this one. */
  private Findings under(String name) {
    return finding ->
        findings.add(
            new Finding(
                finding.severity(),
                name + "/" + finding.file(),
                finding.position(),
                finding.sentence()));
  }

  private void compare(TopicState topic) {
    boolean isCompacted = topic.configs().getOrDefault("cleanup.policy", "").contains("compact");
    for (PartitionState partition : topic.partitions()) {
      TopicPartition named = new TopicPartition(topic.name(), partition.partition());
      List<ReplicaComparison.Place> places = new ArrayList<>();
      brokers.forEach(
          (id, broker) -> {
            if (broker.summary.partitions().containsKey(named)) {
              Findings own = under(FencepostCluster.BROKER + id);
              places.add(new ReplicaComparison.Place(id, broker.disk, named.toString(), own));
            }
          });
      for (int i = 0; i < places.size(); i++) {
        for (int j = i + 1; j < places.size(); j++) {
          ReplicaComparison.run(places.get(i), places.get(j), isCompacted);
        }
      }
    }
  }
}
