package io.fencepost.txn.main;

import io.fencepost.broker.core.CoreServices;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.replica.PartitionCounts;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.txn.api.TransactionExtension;
import io.fencepost.txn.coordinator.OpenCount;
import io.fencepost.txn.coordinator.TxnCoordinator;
import io.fencepost.txn.group.GroupCoordinator;
import io.fencepost.txn.group.api.GroupExtension;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A running server for those who count what is in it. Loads nothing. Thread-safe. */
public final class ServerView {
  private final CoreServices services;
  private final TransactionExtension transactions;
  private final GroupExtension groups;

  ServerView(CoreServices services, TransactionExtension transactions, GroupExtension groups) {
    this.services = services;
    this.transactions = transactions;
    this.groups = groups;
  }

  /**
   * What there was at one moment, one part a little after the other.
   *
   * @param openTransactions ongoing or about to end, by the coordinators' word
   * @param oldestOpenMs how long ago the oldest of them began; 0 if there is none
   * @param producerIds that partitions remember, each partition counted for itself
   * @param groups with members or with somebody on the way in, by state
   * @param stableLags by partition: offsets between the last stable one and the high watermark
   */
  public record Sample(
      int openTransactions,
      long oldestOpenMs,
      long producerIds,
      SortedMap<String, Integer> groups,
      SortedMap<TopicPartition, Long> stableLags) {}

  /** Looks at everything; takes each partition's and shard's lock for a moment. */
  public Sample sample() {
    TreeMap<TopicPartition, Long> lags = new TreeMap<>();
    long producerIds = 0;
    for (PartitionGate gate : services.replicas().all()) {
      PartitionCounts counts = gate.counts();
      lags.put(gate.topicPartition(), counts.stableLag());
      producerIds += counts.producerIds();
    }
    AtomicInteger open = new AtomicInteger();
    AtomicLong oldestMs = new AtomicLong();
    TxnCoordinator coordinator = transactions.coordinator();
    if (coordinator != null) {
      OpenCount.of(
          coordinator,
          (count, startMs) -> {
            open.addAndGet(count);
            oldestMs.accumulateAndGet(coordinator.nowMs() - startMs, Math::max);
          });
    }
    GroupCoordinator all = groups.coordinator();
    return new Sample(
        open.get(),
        open.get() == 0 ? 0 : oldestMs.get(),
        producerIds,
        all == null ? new TreeMap<>() : all.countLive(),
        lags);
  }

  /** Runs the task once, later. */
  Scheduler.Timer after(long delayMs, Runnable task) {
    return services.scheduler().after(delayMs, task);
  }
}
