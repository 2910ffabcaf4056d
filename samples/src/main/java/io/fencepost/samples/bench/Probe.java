package io.fencepost.samples.bench;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.DescribeTransactionsRequest;
import io.fencepost.broker.wire.message.DescribeTransactionsResponse;
import io.fencepost.broker.wire.message.MetadataRequest;
import io.fencepost.broker.wire.message.MetadataResponse;
import io.fencepost.testkit.net.Endpoint;
import io.fencepost.testkit.net.RawClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.apache.kafka.common.Node;

/**
 * Open connections to the brokers that survive, asked again and again, a fraction of a millisecond
 * apart. Not thread-safe.
 */
final class Probe implements AutoCloseable {
  private static final long PAUSE_NANOS = 200_000;
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final int METADATA_VERSION = 9;

  private final Map<Integer, RawClient> clients = new TreeMap<>();
  private final int partition;
  private final MetadataRequest metadata = new MetadataRequest();

  private Probe(String topic, int partition) {
    this.partition = partition;
    MetadataRequest.MetadataRequestTopic asked = new MetadataRequest.MetadataRequestTopic();
    asked.name = topic;
    metadata.topics = List.of(asked);
    metadata.allowAutoTopicCreation = false;
  }

  /** Connects to these brokers. */
  static Probe of(List<Node> brokers, String topic, int partition) {
    Probe probe = new Probe(topic, partition);
    for (Node broker : brokers) {
      probe.clients.put(broker.id(), RawClient.connect(endpoint(broker)));
    }
    return probe;
  }

  static Endpoint endpoint(Node broker) {
    return new Endpoint(broker.host(), broker.port());
  }

  /** Waits until one of the brokers names another leader, and returns it. */
  int leaderOtherThan(int broker) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (true) {
      for (RawClient client : clients.values()) {
        int leader = leader(client);
        if (leader >= 0 && leader != broker) {
          return leader;
        }
      }
      pause(deadline, "no broker names another leader than " + broker);
    }
  }

  /** Asks a broker until it is content. */
  void until(int broker, Predicate<RawClient> isDone) {
    RawClient client = clients.get(broker);
    if (client == null) {
      throw new IllegalStateException("broker " + broker + " is none of the survivors");
    }
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (!isDone.test(client)) {
      pause(deadline, "broker " + broker + " does not answer as coordinator");
    }
  }

  /** Asks a coordinator once what became of a transactional id. */
  static WireError describe(RawClient coordinator, String id) {
    DescribeTransactionsRequest request = new DescribeTransactionsRequest();
    request.transactionalIds = List.of(id);
    return WireError.of(
        coordinator
            .call(ApiKey.DESCRIBE_TRANSACTIONS, 0, request, DescribeTransactionsResponse.class)
            .transactionStates
            .get(0)
            .errorCode);
  }

  private int leader(RawClient client) {
    return client
        .call(ApiKey.METADATA, METADATA_VERSION, metadata, MetadataResponse.class)
        .topics
        .get(0)
        .partitions
        .stream()
        .filter(it -> it.partitionIndex == partition)
        .mapToInt(it -> it.leaderId)
        .findFirst()
        .orElse(-1);
  }

  private static void pause(long deadlineNanos, String complaint) {
    if (System.nanoTime() > deadlineNanos) {
      throw new IllegalStateException(complaint);
    }
    LockSupport.parkNanos(PAUSE_NANOS);
  }

  @Override
  public void close() {
    clients.values().forEach(RawClient::close);
  }
}
