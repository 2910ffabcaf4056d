package io.fencepost.txn.check;

import io.fencepost.broker.batch.MalformedBatchException;
import io.fencepost.broker.check.Finding;
import io.fencepost.broker.check.Findings;
import io.fencepost.broker.cluster.TopicNames;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.core.DirectoryCheck;
import io.fencepost.broker.log.LogView;
import io.fencepost.broker.log.SegmentWalk;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.replica.PartitionCheck;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.txn.coordinator.TxnCoordinator;
import io.fencepost.txn.coordinator.TxnShard;
import io.fencepost.txn.group.GroupLimits;
import io.fencepost.txn.group.GroupShard;
import io.fencepost.txn.ids.ProducerIds;
import io.fencepost.txn.shard.Shard;
import io.fencepost.txn.shard.ShardCheck;
import io.fencepost.txn.table.ShardTables;
import io.fencepost.txn.table.Tables;
import io.fencepost.txn.txn.TxnEntry;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Replays the internal topics, compares the coordinators' rows with what comes out, and looks for
 * transactions that hold back a partition's readers although no transactional id has them open.
 * Changes nothing.
 */
public final class CoordinatorCheck {
  /** Replay reads no clock. */
  private static final Clock STOPPED =
      new Clock() {
        @Override
        public long wallMillis() {
          return 0;
        }

        @Override
        public long monotonicNanos() {
          return 0;
        }
      };

  private final Disk disk;
  private final DirectoryCheck.Summary directory;
  private final ShardCheck.Rows rows;
  private final Findings findings;
  private final TreeMap<Long, TxnEntry> openByProducer = new TreeMap<>();
  private boolean knowsAllTransactions = true;
  private long maxProducerId = -1;

  private CoordinatorCheck(
      Disk disk, DirectoryCheck.Summary directory, ShardCheck.Rows rows, Findings findings) {
    this.disk = disk;
    this.directory = directory;
    this.rows = rows;
    this.findings = findings;
  }

  /**
   * @param stored the rows, or empty tables if there are none
   * @param file how findings call the place of the rows
   */
  public static void run(
      Disk disk, DirectoryCheck.Summary directory, Tables stored, String file, Findings findings) {
    replay(disk, directory, stored, file, findings).alone();
  }

  /** What only all brokers together can tell, of a broker that is alone. */
  public void alone() {
    hanging(List.of(this));
    ProducerIds.check(disk, maxProducerId, findings);
  }

  /** The same without what only all brokers of a cluster together can tell: {@link #alone}. */
  public static CoordinatorCheck replay(
      Disk disk, DirectoryCheck.Summary directory, Tables stored, String file, Findings findings) {
    CoordinatorCheck check =
        new CoordinatorCheck(
            disk, directory, new ShardCheck.Rows(stored, file, CoordinatorRows::name), findings);
    check.transactions();
    check.groups();
    directory
        .partitions()
        .values()
        .forEach(
            summary ->
                check.maxProducerId = Math.max(check.maxProducerId, summary.maxProducerId()));
    return check;
  }

  /** The greatest producer id that was seen in use; -1 if none was. */
  public long maxProducerId() {
    return maxProducerId;
  }

  private void transactions() {
    shards(TxnCoordinator.TOPIC, TxnShard::new)
        .forEach(
            (partition, shard) -> {
              shard.open().forEach(e -> openByProducer.put(e.producer().producerId(), e));
              shard.forEach(this::noteIds);
            });
  }

  private void noteIds(TxnEntry entry) {
    maxProducerId = Math.max(maxProducerId, entry.producer().producerId());
    maxProducerId = Math.max(maxProducerId, entry.nextProducerId());
  }

  private void groups() {
    Function<ShardTables, GroupShard> shardOf =
        tables -> new GroupShard(tables, GroupLimits.DEFAULT, STOPPED, later -> {});
    shards(TopicNames.OFFSETS, shardOf);
  }

  private <S extends Shard> TreeMap<TopicPartition, S> shards(
      String topic, Function<ShardTables, S> shardOf) {
    TreeMap<TopicPartition, S> shards = new TreeMap<>();
    TopicState state = directory.cluster().topic(topic);
    if (state == null) {
      return shards;
    }
    for (int number = 0; number < state.partitions().size(); number++) {
      TopicPartition partition = new TopicPartition(topic, number);
      PartitionCheck.Summary summary = directory.partitions().get(partition);
      if (summary != null) {
        S shard = shard(partition, state, summary, shardOf);
        if (shard != null) {
          shards.put(partition, shard);
        }
      }
    }
    return shards;
  }

  /** The shard as the log says; null if the log does not say it all. */
  private <S extends Shard> @Nullable S shard(
      TopicPartition partition,
      TopicState topic,
      PartitionCheck.Summary summary,
      Function<ShardTables, S> shardOf) {
    try {
      ShardCheck<S> check = new ShardCheck<>(partition, topic.id(), rows, shardOf, findings);
      boolean isWhole = summary.startOffset() == 0 && feed(partition, check);
      if (!isWhole) {
        check.giveUp();
        knowsAllTransactions = false;
      }
      S shard = check.finish();
      return isWhole ? shard : null;
    } catch (DiskException unreadable) {
      findings.damage(rows.file(), Finding.WHOLE, String.valueOf(unreadable.getMessage()));
      return null;
    }
  }

  /** False if there is a hole in the log, which is a finding already. */
  private <S extends Shard> boolean feed(TopicPartition partition, ShardCheck<S> check) {
    LogView log = new LogView(disk, partition.toString());
    for (long base : log.segments()) {
      SegmentWalk walk = log.walk(base);
      try {
        while (walk.next()) {
          if (walk.isDamage()) {
            return false;
          }
          check.onBatch(walk.whole());
        }
      } catch (MalformedBatchException damaged) {
        findings.damage(walk.path(), walk.position(), String.valueOf(damaged.getMessage()));
        return false;
      } finally {
        walk.close();
      }
    }
    return true;
  }

  /**
   * Looks for transactions in these partitions that nobody will end.
   *
   * @param all brokers of the cluster: each may know less than another of who has what open
   */
  public void hanging(List<CoordinatorCheck> all) {
    if (!all.stream().allMatch(each -> each.knowsAllTransactions)) {
      return;
    }
    directory
        .partitions()
        .forEach(
            (partition, summary) -> {
              for (PartitionCheck.Open open : summary.open()) {
                if (all.stream().noneMatch(each -> each.owns(partition, open))) {
                  hanging(partition, open);
                }
              }
            });
  }

  private boolean owns(TopicPartition partition, PartitionCheck.Open open) {
    TxnEntry owner = openByProducer.get(open.producerId());
    return owner != null && owner.partitions().contains(partition);
  }

  private void hanging(TopicPartition partition, PartitionCheck.Open open) {
    findings.damage(
        partition.toString(),
        Finding.WHOLE,
        "the transaction of producer %d, epoch %d, is open since offset %d and no transactional id"
                .formatted(open.producerId(), open.producerEpoch(), open.firstOffset())
            + " has it open: readers of committed records stop there until it is aborted"
            + " (fencepost txn abort)");
  }
}
