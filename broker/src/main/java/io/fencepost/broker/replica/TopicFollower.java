package io.fencepost.broker.replica;

import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.cluster.TopicConfig;
import io.fencepost.broker.cluster.TopicListener;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.log.CompactionConfig;
import io.fencepost.broker.log.LogConfig;
import io.fencepost.broker.wire.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens, configures and deletes this broker's partitions as topics change. What is set in motion by
 * that (refused waits, woken readers) runs before the change is answered.
 */
public final class TopicFollower implements TopicListener {
  private final int brokerId;
  private final Replicas replicas;
  private final Supplier<BrokerConfig> settings;

  /** The settings are asked for at every change: some of them can change too. */
  public TopicFollower(int brokerId, Replicas replicas, Supplier<BrokerConfig> settings) {
    this.brokerId = brokerId;
    this.replicas = replicas;
    this.settings = settings;
  }

  @Override
  public void onTopic(@Nullable TopicState before, @Nullable TopicState after) {
    if (before != null && (after == null || !after.id().equals(before.id()))) {
      for (PartitionState partition : before.partitions()) {
        replicas.delete(new TopicPartition(before.name(), partition.partition())).run();
      }
    }
    if (after == null) {
      return;
    }
    PartitionConfig config = config(after);
    replicas.configure(after.name(), config).run();
    List<PartitionState> own = new ArrayList<>();
    for (PartitionState partition : after.partitions()) {
      if (!isOldNews(before, after, partition)) {
        if (partition.replicas().contains(brokerId)) {
          own.add(partition);
        } else {
          replicas.delete(new TopicPartition(after.name(), partition.partition())).run();
        }
      }
    }
    replicas.open(after.name(), after.id(), own, config);
  }

  /** Who is told of the same topic again is to make up for what failed. */
  private static boolean isOldNews(
      @Nullable TopicState before, TopicState after, PartitionState partition) {
    int number = partition.partition();
    return before != null
        && !before.equals(after)
        && before.id().equals(after.id())
        && number < before.partitions().size()
        && before.partitions().get(number).equals(partition);
  }

  private PartitionConfig config(TopicState state) {
    BrokerConfig broker = settings.get();
    TopicConfig topic = TopicConfig.of(state, broker);
    List<String> cleanup = topic.list("cleanup.policy");
    boolean compacted = cleanup.contains("compact");
    long maxLagMs = topic.longOf("max.compaction.lag.ms");
    long segmentMs = topic.longOf("segment.ms");
    return new PartitionConfig(
        FlushPolicy.of(topic.text("flush")),
        topic.intOf("max.message.bytes"),
        topic.text("message.timestamp.type").equals("LogAppendTime"),
        topic.longOf("message.timestamp.before.max.ms"),
        topic.longOf("message.timestamp.after.max.ms"),
        broker.longOf("producer.id.expiration.ms"),
        compacted,
        cleanup.contains("delete"),
        state.internal(),
        topic.intOf("min.insync.replicas"),
        new LogConfig(
            topic.segmentBytes(),
            // What is in the active segment is not compacted, so it must be closed in time.
            compacted ? Math.min(segmentMs, maxLagMs) : segmentMs,
            topic.intOf("index.interval.bytes"),
            topic.intOf("segment.index.bytes"),
            topic.longOf("retention.ms"),
            topic.longOf("retention.bytes"),
            topic.longOf("file.delete.delay.ms")),
        new CompactionConfig(
            topic.doubleOf("min.cleanable.dirty.ratio"),
            topic.longOf("min.compaction.lag.ms"),
            maxLagMs,
            topic.longOf("delete.retention.ms")));
  }
}
