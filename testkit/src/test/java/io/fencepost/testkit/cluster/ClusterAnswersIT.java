package io.fencepost.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.cluster.NewTopic;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.FetchRequest;
import io.fencepost.broker.wire.message.FetchResponse;
import io.fencepost.broker.wire.message.MetadataRequest;
import io.fencepost.broker.wire.message.MetadataResponse;
import io.fencepost.broker.wire.message.ProduceRequest;
import io.fencepost.broker.wire.message.ProduceResponse;
import io.fencepost.testkit.net.Endpoint;
import io.fencepost.testkit.net.RawClient;
import io.fencepost.txn.main.FencepostCluster;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClusterAnswersIT {
  private static final String TOPIC = "payments";

  private FencepostCluster cluster;
  private Uuid topicId;
  private int leader;
  private int follower;

  @BeforeEach
  void start() {
    cluster = FencepostCluster.start(3);
    var controller = cluster.broker(1).services().controller();
    assertThat(
            controller
                .createTopic(new NewTopic(TOPIC, 1, 3, new TreeMap<>(), new TreeMap<>()))
                .error())
        .isEqualTo(WireError.NONE);
    topicId = controller.state().topic(TOPIC).id();
    leader = cluster.leaderOf(TOPIC, 0);
    follower = 1 + leader % 3;
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private RawClient client(int broker) {
    return RawClient.connect(Endpoint.parse(cluster.bootstrapServers(broker)));
  }

  private int portOf(int broker) {
    return Endpoint.parse(cluster.bootstrapServers(broker)).port();
  }

  private static ProduceRequest produce() {
    ProduceRequest.PartitionProduceData data = new ProduceRequest.PartitionProduceData();
    data.records = Bytes.of(BatchWriter.at(0).add(1, null, new byte[] {1}).build());
    ProduceRequest.TopicProduceData topic = new ProduceRequest.TopicProduceData();
    topic.name = TOPIC;
    topic.partitionData.add(data);
    ProduceRequest request = new ProduceRequest();
    request.acks = -1;
    request.timeoutMs = 5_000;
    request.topicData.add(topic);
    return request;
  }

  @Test
  void who_produces_to_a_follower_is_told_who_leads_and_where_it_is() {
    try (RawClient client = client(follower)) {
      ProduceResponse response = client.call(ApiKey.PRODUCE, 12, produce(), ProduceResponse.class);
      ProduceResponse.PartitionProduceResponse answer =
          response.responses.get(0).partitionResponses.get(0);
      assertThat(WireError.of(answer.errorCode)).isEqualTo(WireError.NOT_LEADER_OR_FOLLOWER);
      assertThat(answer.currentLeader.leaderId).isEqualTo(leader);
      assertThat(response.nodeEndpoints)
          .singleElement()
          .satisfies(node -> assertThat(node.port).isEqualTo(portOf(leader)));
    }
    assertThat(cluster.logEnd(TOPIC, 0)).isZero();
  }

  @Test
  void who_fetches_from_a_follower_is_told_who_leads_and_where_it_is() {
    FetchRequest.FetchPartition wish = new FetchRequest.FetchPartition();
    wish.partitionMaxBytes = 1_000;
    FetchRequest.FetchTopic topic = new FetchRequest.FetchTopic();
    topic.topicId = topicId;
    topic.partitions.add(wish);
    FetchRequest request = new FetchRequest();
    request.maxBytes = 1_000;
    request.topics.add(topic);
    try (RawClient client = client(follower)) {
      FetchResponse response = client.call(ApiKey.FETCH, 16, request, FetchResponse.class);
      FetchResponse.PartitionData answer = response.responses.get(0).partitions.get(0);
      assertThat(WireError.of(answer.errorCode)).isEqualTo(WireError.NOT_LEADER_OR_FOLLOWER);
      assertThat(answer.currentLeader.leaderId).isEqualTo(leader);
      assertThat(response.nodeEndpoints)
          .singleElement()
          .satisfies(node -> assertThat(node.port).isEqualTo(portOf(leader)));
    }
  }

  @Test
  void metadata_name_the_brokers_that_are_up_and_the_replicas_that_are_not() {
    cluster.kill(follower);
    try (RawClient client = client(leader)) {
      MetadataRequest request = new MetadataRequest();
      request.topics = null;
      MetadataResponse response = client.call(ApiKey.METADATA, 12, request, MetadataResponse.class);
      assertThat(response.brokers).extracting(broker -> broker.nodeId).doesNotContain(follower);
      MetadataResponse.MetadataResponsePartition partition =
          response.topics.get(0).partitions.get(0);
      assertThat(partition.replicaNodes).containsExactlyInAnyOrder(1, 2, 3);
      assertThat(partition.isrNodes).doesNotContain(follower).hasSize(2);
      assertThat(partition.offlineReplicas).containsExactly(follower);
    }
  }
}
