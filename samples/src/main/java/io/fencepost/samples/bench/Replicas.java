package io.fencepost.samples.bench;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/** Who holds a partition, as the cluster tells its clients. */
final class Replicas implements AutoCloseable {
  private static final Duration IN_SYNC_TIMEOUT = Duration.ofMinutes(3);
  private static final long POLL_NANOS = Duration.ofMillis(50).toNanos();

  private final Admin admin;
  private final String topic;
  private final int partition;

  Replicas(String bootstrap, String topic, int partition) {
    this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
    this.topic = topic;
    this.partition = partition;
  }

  /** The broker that leads, once so many replicas are in sync. */
  Node leaderOnceInSync(int replicas) throws Exception {
    long deadline = System.nanoTime() + IN_SYNC_TIMEOUT.toNanos();
    TopicPartitionInfo known = known();
    while (known == null || known.isr().size() < replicas || known.leader() == null) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "fewer than " + replicas + " replicas of " + topic + " got in sync: " + known);
      }
      LockSupport.parkNanos(POLL_NANOS);
      known = known();
    }
    return known.leader();
  }

  /** All brokers that serve, without that one. */
  List<Node> brokersBut(int broker) throws Exception {
    return admin.describeCluster().nodes().get().stream().filter(it -> it.id() != broker).toList();
  }

  /** What a broker knows now; null if none could tell. */
  private @Nullable TopicPartitionInfo known() throws InterruptedException {
    try {
      return admin
          .describeTopics(List.of(topic))
          .allTopicNames()
          .get()
          .values()
          .iterator()
          .next()
          .partitions()
          .get(partition);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RetriableException) {
        return null;
      }
      throw new IllegalStateException("cannot describe " + topic, e.getCause());
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(10));
  }
}
