package io.fencepost.samples.bench;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;

/**
 * Holds a topic's log against what was acknowledged: its partitions together must have grown by
 * exactly so many offsets, or the figures are void. A record takes one offset, and so does the
 * marker that ends a transaction in a partition.
 */
final class LogCheck implements AutoCloseable {
  /** A broker may acknowledge a transaction before its marker is written. */
  private static final Duration MARKER_TIMEOUT = Duration.ofSeconds(10);

  private static final long POLL_NANOS = Duration.ofMillis(20).toNanos();

  private final Admin admin;
  private final String topic;

  LogCheck(String bootstrap, String topic) {
    this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
    this.topic = topic;
  }

  /** The sum of the end offsets of all partitions. */
  long end() throws Exception {
    Map<TopicPartition, OffsetSpec> latest = new LinkedHashMap<>();
    for (TopicDescription description :
        admin.describeTopics(List.of(topic)).allTopicNames().get().values()) {
      description
          .partitions()
          .forEach(
              it -> latest.put(new TopicPartition(topic, it.partition()), OffsetSpec.latest()));
    }
    return admin.listOffsets(latest).all().get().values().stream()
        .mapToLong(ListOffsetsResultInfo::offset)
        .sum();
  }

  /** Throws unless the log has grown by exactly so many offsets since it ended there. */
  void grewBy(long acknowledged, long endBefore) throws Exception {
    long deadline = System.nanoTime() + MARKER_TIMEOUT.toNanos();
    long grown = end() - endBefore;
    while (grown < acknowledged && System.nanoTime() < deadline) {
      LockSupport.parkNanos(POLL_NANOS);
      grown = end() - endBefore;
    }
    check(topic, grown, acknowledged);
  }

  /** Throws unless both are equal. */
  static void check(String topic, long grown, long acknowledged) {
    if (grown != acknowledged) {
      throw new IllegalStateException(
          "%s grew by %,d offsets where %,d were acknowledged: the pass is void"
              .formatted(topic, grown, acknowledged));
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(10));
  }
}
