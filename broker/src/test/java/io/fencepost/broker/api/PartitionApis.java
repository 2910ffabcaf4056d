package io.fencepost.broker.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.cluster.ClusterState;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.replica.ReplicaFixture;
import io.fencepost.broker.replica.TransactionGate;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.message.FetchRequest;
import io.fencepost.broker.wire.message.FetchResponse;
import io.fencepost.broker.wire.message.ProduceRequest;
import io.fencepost.broker.wire.message.ProduceResponse;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The handlers over one partition of the topic orders, with hand-made requests. */
final class PartitionApis implements TransactionGate {
  static final Uuid UNKNOWN_ID = new Uuid(9, 9);

  /** What a handler did with a request. */
  static final class Answer<R extends WireMessage> implements Reply<R> {
    final List<R> sent = new ArrayList<>();
    final List<String> closed = new ArrayList<>();
    int silent;
    Runnable whenAbandoned = () -> {};

    @Override
    public void onAbandoned(Runnable action) {
      whenAbandoned = action;
    }

    @Override
    public void send(R response) {
      sent.add(response);
    }

    @Override
    public void sendNothing() {
      silent++;
    }

    @Override
    public void close(String reason) {
      closed.add(reason);
    }

    boolean isOpen() {
      return sent.size() + closed.size() + silent == 0;
    }

    R only() {
      assertThat(sent).hasSize(1);
      assertThat(closed).isEmpty();
      return sent.get(0);
    }
  }

  final ReplicaFixture fixture;
  final ClusterState state;
  final Produce produce;
  final Fetch fetch;
  final List<AdmitRequest> admissions = new ArrayList<>();
  final List<String> refusals = new ArrayList<>();
  WireError admission = WireError.NONE;

  PartitionApis(FlushPolicy flush) {
    fixture = new ReplicaFixture(flush);
    PartitionState led = new PartitionState(0, 1, 0, List.of(1), List.of(1));
    PartitionState elsewhere = new PartitionState(1, 2, 4, List.of(2), List.of(2));
    TopicState orders =
        new TopicState(
            "orders", ReplicaFixture.TOPIC_ID, false, List.of(led, elsewhere), new TreeMap<>());
    state = ClusterState.empty("cluster", 1).withTopics(List.of(orders));
    produce = new Produce(() -> state, fixture.replicas, this);
    fetch =
        new Fetch(
            () -> state,
            fixture.replicas,
            fixture.clock,
            fixture.scheduler,
            fixture.entropy,
            BrokerConfig.defaults());
  }

  static RequestContext context(int version) {
    return new RequestContext(version, "test", "localhost", 1);
  }

  @Override
  public void admit(AdmitRequest request, Consumer<SortedMap<TopicPartition, WireError>> answer) {
    admissions.add(request);
    TreeMap<TopicPartition, WireError> answers = new TreeMap<>();
    request.partitions().forEach(partition -> answers.put(partition, admission));
    answer.accept(answers);
  }

  @Override
  public void refused(String why) {
    refusals.add(why);
  }

  static ProduceRequest produceRequest(int version, int acks, ByteBuffer records) {
    return produceRequest(version, acks, 0, records);
  }

  static ProduceRequest produceRequest(int version, int acks, int partition, ByteBuffer records) {
    ProduceRequest request = new ProduceRequest();
    request.acks = (short) acks;
    request.timeoutMs = 30_000;
    ProduceRequest.TopicProduceData topic = new ProduceRequest.TopicProduceData();
    if (version >= 13) {
      topic.topicId = ReplicaFixture.TOPIC_ID;
    } else {
      topic.name = "orders";
    }
    ProduceRequest.PartitionProduceData data = new ProduceRequest.PartitionProduceData();
    data.index = partition;
    data.records = Bytes.of(records);
    topic.partitionData.add(data);
    request.topicData.add(topic);
    return request;
  }

  Answer<ProduceResponse> produce(int version, ProduceRequest request) {
    Answer<ProduceResponse> answer = new Answer<>();
    produce.handle(context(version), request, answer);
    return answer;
  }

  static WireError errorOf(Answer<ProduceResponse> answer) {
    return WireError.of(partOf(answer).errorCode);
  }

  static ProduceResponse.PartitionProduceResponse partOf(Answer<ProduceResponse> answer) {
    return answer.only().responses.get(0).partitionResponses.get(0);
  }

  static FetchRequest fetchRequest(int version, long offset) {
    FetchRequest request = new FetchRequest();
    request.maxWaitMs = 500;
    request.minBytes = 1;
    FetchRequest.FetchTopic topic = new FetchRequest.FetchTopic();
    if (version >= 13) {
      topic.topicId = ReplicaFixture.TOPIC_ID;
    } else {
      topic.topic = "orders";
    }
    FetchRequest.FetchPartition wish = new FetchRequest.FetchPartition();
    wish.fetchOffset = offset;
    wish.partitionMaxBytes = 1 << 20;
    topic.partitions.add(wish);
    request.topics.add(topic);
    return request;
  }

  Answer<FetchResponse> fetch(int version, FetchRequest request) {
    Answer<FetchResponse> answer = new Answer<>();
    fetch.handle(context(version), request, answer);
    return answer;
  }

  static FetchResponse.PartitionData dataOf(Answer<FetchResponse> answer) {
    return answer.only().responses.get(0).partitions.get(0);
  }
}
