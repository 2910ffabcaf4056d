package io.fencepost.testkit.prove.main;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.message.FetchResponse;
import io.fencepost.broker.wire.message.ListGroupsRequest;
import io.fencepost.broker.wire.message.ListGroupsResponse;
import io.fencepost.broker.wire.message.ListOffsetsRequest;
import io.fencepost.broker.wire.message.ListOffsetsResponse;
import io.fencepost.broker.wire.message.ListTransactionsRequest;
import io.fencepost.broker.wire.message.ListTransactionsResponse;
import io.fencepost.broker.wire.message.MetadataRequest;
import io.fencepost.broker.wire.message.MetadataResponse;
import io.fencepost.broker.wire.message.OffsetFetchRequest;
import io.fencepost.broker.wire.message.OffsetFetchResponse;
import io.fencepost.testkit.net.Endpoint;
import io.fencepost.testkit.net.RawClient;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;

/**
 * Asks brokers without the clients of the class path, whatever their version, and for so long and
 * no longer. One thread.
 */
final class ClusterReader implements AutoCloseable {
  private static final int METADATA_VERSION = 9;
  private static final int LIST_OFFSETS_VERSION = 5;
  private static final int LIST_GROUPS_VERSION = 3;
  private static final int OFFSET_FETCH_VERSION = 7;
  private static final int LIST_TRANSACTIONS_VERSION = 0;
  private static final int TIMEOUT_MS = 2_000;
  private static final long EARLIEST = -2;
  private static final long LATEST = -1;

  private final long deadline;
  private final TreeMap<Integer, Endpoint> brokers = new TreeMap<>();
  private final TreeMap<TopicPartition, Integer> leaders = new TreeMap<>();
  private final TreeMap<Integer, RawClient> clients = new TreeMap<>();
  private final TreeMap<Integer, KafkaException> silent = new TreeMap<>();

  /**
   * Of a cluster, as the first broker that answers describes it.
   *
   * @throws KafkaException if none does
   */
  ClusterReader(String bootstrap, Duration time) {
    deadline = System.nanoTime() + time.toNanos();
    KafkaException last = new KafkaException("no broker is known");
    for (String address : bootstrap.split(",")) {
      try (RawClient client = RawClient.connect(Endpoint.parse(address.trim()), timeoutMs())) {
        describe(client);
        return;
      } catch (UncheckedIOException e) {
        last = new KafkaException(address + " does not answer", e);
      }
    }
    throw last;
  }

  private void describe(RawClient client) {
    MetadataRequest request = new MetadataRequest();
    request.topics = null;
    request.allowAutoTopicCreation = false;
    MetadataResponse answer =
        client.call(ApiKey.METADATA, METADATA_VERSION, request, MetadataResponse.class);
    answer.brokers.forEach(it -> brokers.put(it.nodeId, new Endpoint(it.host, it.port)));
    for (MetadataResponse.MetadataResponseTopic topic : answer.topics) {
      if (topic.name != null && !topic.isInternal && !topic.name.startsWith("__")) {
        topic.partitions.forEach(
            it -> leaders.put(new TopicPartition(topic.name, it.partitionIndex), it.leaderId));
      }
    }
  }

  private int timeoutMs() {
    long leftMs = (deadline - System.nanoTime()) / 1_000_000;
    if (leftMs <= 0) {
      throw new KafkaException("time is up");
    }
    return (int) Math.min(TIMEOUT_MS, leftMs);
  }

  /** Those of users, in order. */
  List<TopicPartition> partitions() {
    return List.copyOf(leaders.keySet());
  }

  private int leader(TopicPartition partition) {
    return leaders.getOrDefault(partition, -1);
  }

  private RawClient client(int broker) {
    int timeoutMs = timeoutMs();
    Endpoint endpoint = brokers.get(broker);
    if (endpoint == null) {
      throw new KafkaException("there is no leader");
    }
    KafkaException before = silent.get(broker);
    if (before != null) {
      throw before;
    }
    RawClient open = clients.get(broker);
    if (open == null) {
      try {
        open = RawClient.connect(endpoint, timeoutMs);
        clients.put(broker, open);
      } catch (UncheckedIOException e) {
        throw gone(broker, e);
      }
    }
    return open;
  }

  /** It is not asked again. */
  private KafkaException gone(int broker, UncheckedIOException cause) {
    KafkaException gone = new KafkaException("broker " + broker + " does not answer", cause);
    silent.put(broker, gone);
    return gone;
  }

  private <R extends WireMessage> R ask(
      int broker, ApiKey api, int version, WireMessage request, Class<R> answer) {
    try {
      return client(broker).call(api, version, request, answer);
    } catch (UncheckedIOException e) {
      throw gone(broker, e);
    }
  }

  /** The first offset that is still there. */
  long start(TopicPartition partition) {
    return offset(partition, EARLIEST, IsolationLevel.READ_UNCOMMITTED);
  }

  /** The high watermark, or the last stable offset. */
  long end(TopicPartition partition, IsolationLevel isolation) {
    return offset(partition, LATEST, isolation);
  }

  private long offset(TopicPartition partition, long time, IsolationLevel isolation) {
    ListOffsetsRequest.ListOffsetsPartition wanted = new ListOffsetsRequest.ListOffsetsPartition();
    wanted.partitionIndex = partition.partition();
    wanted.timestamp = time;
    ListOffsetsRequest.ListOffsetsTopic topic = new ListOffsetsRequest.ListOffsetsTopic();
    topic.name = partition.topic();
    topic.partitions.add(wanted);
    ListOffsetsRequest request = new ListOffsetsRequest();
    request.replicaId = -1;
    request.isolationLevel = isolation.id();
    request.topics.add(topic);
    ListOffsetsResponse.ListOffsetsPartitionResponse found =
        ask(
                leader(partition),
                ApiKey.LIST_OFFSETS,
                LIST_OFFSETS_VERSION,
                request,
                ListOffsetsResponse.class)
            .topics
            .get(0)
            .partitions
            .get(0);
    check(found.errorCode);
    return found.offset;
  }

  private static void check(short errorCode) {
    if (WireError.of(errorCode) != WireError.NONE) {
      throw new KafkaException("the broker says " + WireError.of(errorCode));
    }
  }

  /** What stands from an offset on. */
  FetchResponse.PartitionData fetch(
      TopicPartition partition, long offset, IsolationLevel isolation) {
    int leader = leader(partition);
    try {
      FetchResponse.PartitionData data = client(leader).fetch(partition, offset, isolation.id(), 0);
      check(data.errorCode);
      return data;
    } catch (UncheckedIOException e) {
      throw gone(leader, e);
    }
  }

  List<Integer> brokers() {
    return List.copyOf(brokers.keySet());
  }

  /** Transactional ids that a broker coordinates, by their producer ids. */
  SortedMap<Long, String> transactionalIds(int broker) {
    ListTransactionsResponse answer =
        ask(
            broker,
            ApiKey.LIST_TRANSACTIONS,
            LIST_TRANSACTIONS_VERSION,
            new ListTransactionsRequest(),
            ListTransactionsResponse.class);
    check(answer.errorCode);
    TreeMap<Long, String> ids = new TreeMap<>();
    answer.transactionStates.forEach(it -> ids.put(it.producerId, it.transactionalId));
    return ids;
  }

  /** Groups that a broker coordinates. */
  List<String> groups(int broker) {
    ListGroupsResponse answer =
        ask(
            broker,
            ApiKey.LIST_GROUPS,
            LIST_GROUPS_VERSION,
            new ListGroupsRequest(),
            ListGroupsResponse.class);
    check(answer.errorCode);
    return answer.groups.stream().map(it -> it.groupId).toList();
  }

  /** What a group has committed, by partition, past transactions that are open. */
  SortedMap<String, Long> committed(int broker, String group) {
    OffsetFetchRequest request = new OffsetFetchRequest();
    request.groupId = group;
    request.topics = null;
    OffsetFetchResponse answer =
        ask(broker, ApiKey.OFFSET_FETCH, OFFSET_FETCH_VERSION, request, OffsetFetchResponse.class);
    check(answer.errorCode);
    TreeMap<String, Long> offsets = new TreeMap<>();
    for (OffsetFetchResponse.OffsetFetchResponseTopic topic : answer.topics) {
      for (OffsetFetchResponse.OffsetFetchResponsePartition found : topic.partitions) {
        if (found.committedOffset >= 0) {
          offsets.put(topic.name + "-" + found.partitionIndex, found.committedOffset);
        }
      }
    }
    return offsets;
  }

  @Override
  public void close() {
    clients.values().forEach(RawClient::close);
  }
}
