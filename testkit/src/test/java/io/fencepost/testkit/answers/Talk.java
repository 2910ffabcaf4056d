package io.fencepost.testkit.answers;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.message.CreateTopicsRequest;
import io.fencepost.broker.wire.message.CreateTopicsResponse;
import io.fencepost.broker.wire.message.FetchRequest;
import io.fencepost.broker.wire.message.FetchResponse;
import io.fencepost.broker.wire.message.ListOffsetsRequest;
import io.fencepost.broker.wire.message.ListOffsetsResponse;
import io.fencepost.broker.wire.message.ProduceRequest;
import io.fencepost.broker.wire.message.ProduceResponse;
import io.fencepost.testkit.net.Endpoint;
import io.fencepost.testkit.net.RawClient;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/** One connection to a broker; answers come back as short texts, so that tests read as a list. */
final class Talk implements AutoCloseable {
  private static final AtomicInteger NAMES = new AtomicInteger();
  private static final int TOPIC_IDS_IN_PRODUCE = 13;
  private static final int TOPIC_IDS_IN_FETCH = 13;

  /** A topic made for one test. */
  record Topic(String name, Uuid id) {}

  private final RawClient client;

  private Talk(RawClient client) {
    this.client = client;
  }

  static Talk with(String bootstrapServers) {
    return new Talk(RawClient.connect(Endpoint.parse(bootstrapServers)));
  }

  @Override
  public void close() {
    client.close();
  }

  <R extends WireMessage> R ask(ApiKey api, int version, WireMessage request, Class<R> answer) {
    return client.call(api, version, request, answer);
  }

  static String name(short errorCode) {
    return WireError.of(errorCode).name();
  }

  /** A name that no other test uses. */
  static String fresh(String prefix) {
    return prefix + "-" + ProcessHandle.current().pid() + "-" + NAMES.incrementAndGet();
  }

  /** A new topic that is ready to be written to. */
  Topic newTopic(int partitions, String... keysAndValues) {
    CreateTopicsRequest.CreatableTopic topic = new CreateTopicsRequest.CreatableTopic();
    topic.name = fresh("t");
    topic.numPartitions = partitions;
    topic.replicationFactor = 1;
    for (int i = 0; i < keysAndValues.length; i += 2) {
      CreateTopicsRequest.CreatableTopicConfig config =
          new CreateTopicsRequest.CreatableTopicConfig();
      config.name = keysAndValues[i];
      config.value = keysAndValues[i + 1];
      topic.configs.add(config);
    }
    CreateTopicsRequest request = new CreateTopicsRequest();
    request.topics.add(topic);
    CreateTopicsResponse.CreatableTopicResult made =
        ask(ApiKey.CREATE_TOPICS, 7, request, CreateTopicsResponse.class).topics.get(0);
    if (made.errorCode != 0) {
      throw new IllegalStateException(name(made.errorCode) + " " + made.errorMessage);
    }
    Topic created = new Topic(topic.name, made.topicId);
    for (int i = 0; i < partitions; i++) {
      int partition = i;
      Awaitility.await()
          .pollInterval(10, TimeUnit.MILLISECONDS)
          .until(() -> offset(created.name(), partition, -1, 0).startsWith("NONE"));
    }
    return created;
  }

  String produce(int version, Producer producer, Topic topic, int sequence, int records) {
    return produce(version, producer, topic, 0, producer.batch(sequence, records));
  }

  /** The error, or the base offset. */
  String produce(int version, Producer producer, Topic topic, int partition, ByteBuffer records) {
    ProduceRequest request = produceRequest(version, producer, topic, partition, records);
    return text(produced(version, request));
  }

  static String text(ProduceResponse.PartitionProduceResponse answer) {
    return answer.errorCode == 0 ? "@" + answer.baseOffset : name(answer.errorCode);
  }

  ProduceResponse.PartitionProduceResponse produced(int version, ProduceRequest request) {
    return ask(ApiKey.PRODUCE, version, request, ProduceResponse.class)
        .responses
        .get(0)
        .partitionResponses
        .get(0);
  }

  static ProduceRequest produceRequest(
      int version, Producer producer, Topic topic, int partition, ByteBuffer records) {
    ProduceRequest.PartitionProduceData data = new ProduceRequest.PartitionProduceData();
    data.index = partition;
    data.records = Bytes.of(records);
    ProduceRequest.TopicProduceData topicData = new ProduceRequest.TopicProduceData();
    if (version >= TOPIC_IDS_IN_PRODUCE) {
      topicData.topicId = topic.id();
    } else {
      topicData.name = topic.name();
    }
    topicData.partitionData.add(data);
    ProduceRequest request = new ProduceRequest();
    request.transactionalId = producer.transactionalId();
    request.acks = -1;
    request.timeoutMs = 10_000;
    request.topicData.add(topicData);
    return request;
  }

  /** Error, offset, timestamp and leader epoch of a special time or a real one. */
  String offset(String topic, int partition, long timestamp, int isolation) {
    return offset(11, topic, partition, timestamp, isolation);
  }

  String offset(int version, String topic, int partition, long timestamp, int isolation) {
    ListOffsetsRequest.ListOffsetsPartition wish = new ListOffsetsRequest.ListOffsetsPartition();
    wish.partitionIndex = partition;
    wish.timestamp = timestamp;
    ListOffsetsRequest.ListOffsetsTopic wishes = new ListOffsetsRequest.ListOffsetsTopic();
    wishes.name = topic;
    wishes.partitions.add(wish);
    ListOffsetsRequest request = new ListOffsetsRequest();
    request.replicaId = -1;
    request.isolationLevel = (byte) isolation;
    request.topics.add(wishes);
    ListOffsetsResponse.ListOffsetsPartitionResponse found =
        ask(ApiKey.LIST_OFFSETS, version, request, ListOffsetsResponse.class)
            .topics
            .get(0)
            .partitions
            .get(0);
    return "%s offset %d at %d in epoch %d"
        .formatted(name(found.errorCode), found.offset, found.timestamp, found.leaderEpoch);
  }

  long end(Topic topic, int partition) {
    return Long.parseLong(offset(topic.name(), partition, -1, 0).split(" ")[2]);
  }

  long lastStable(Topic topic, int partition) {
    return Long.parseLong(offset(topic.name(), partition, -1, 1).split(" ")[2]);
  }

  FetchResponse.PartitionData fetch(Topic topic, int partition, long offset, int isolation) {
    FetchRequest request = fetchRequest(13, topic, partition, offset);
    request.isolationLevel = (byte) isolation;
    return fetched(13, request);
  }

  FetchResponse.PartitionData fetched(int version, FetchRequest request) {
    return ask(ApiKey.FETCH, version, request, FetchResponse.class)
        .responses
        .get(0)
        .partitions
        .get(0);
  }

  static FetchRequest fetchRequest(int version, Topic topic, int partition, long offset) {
    FetchRequest.FetchPartition wanted = new FetchRequest.FetchPartition();
    wanted.partition = partition;
    wanted.fetchOffset = offset;
    wanted.partitionMaxBytes = 1 << 20;
    FetchRequest.FetchTopic wantedTopic = new FetchRequest.FetchTopic();
    if (version >= TOPIC_IDS_IN_FETCH) {
      wantedTopic.topicId = topic.id();
    } else {
      wantedTopic.topic = topic.name();
    }
    wantedTopic.partitions.add(wanted);
    FetchRequest request = new FetchRequest();
    request.maxWaitMs = 10;
    request.minBytes = 0;
    request.topics.add(wantedTopic);
    return request;
  }

  /** Everything in the partition, markers too, one line for each batch. */
  List<String> log(Topic topic, int partition) {
    return batches(fetch(topic, partition, 0, 0));
  }

  static List<String> batches(FetchResponse.PartitionData data) {
    List<String> lines = new ArrayList<>();
    Bytes records = data.records;
    if (records == null) {
      return lines;
    }
    ByteBuffer buffer = records.toBuffer();
    BatchView view = new BatchView();
    int position = buffer.position();
    while (buffer.limit() - position >= BatchView.HEADER_BYTES) {
      view.wrap(buffer, position);
      if (view.sizeBytes() > buffer.limit() - position) {
        return lines;
      }
      lines.add(line(view));
      position += view.sizeBytes();
    }
    return lines;
  }

  private static String line(BatchView view) {
    ControlMarker marker = view.isControl() ? ControlMarker.of(view) : null;
    String kind = "data";
    if (marker != null) {
      kind = marker.commit() ? "commit" : "abort";
    }
    return kind + " " + view.baseOffset() + "-" + view.lastOffset() + " e" + view.producerEpoch();
  }
}
