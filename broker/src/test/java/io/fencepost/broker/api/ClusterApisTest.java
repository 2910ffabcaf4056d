package io.fencepost.broker.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.cluster.BrokerMetadata;
import io.fencepost.broker.cluster.BrokerNode;
import io.fencepost.broker.cluster.Controller;
import io.fencepost.broker.cluster.Feature;
import io.fencepost.broker.cluster.Features;
import io.fencepost.broker.cluster.NewTopic;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.message.AlterConfigsRequest;
import io.fencepost.broker.wire.message.AlterConfigsResponse;
import io.fencepost.broker.wire.message.CreatePartitionsRequest;
import io.fencepost.broker.wire.message.CreatePartitionsResponse;
import io.fencepost.broker.wire.message.CreateTopicsRequest;
import io.fencepost.broker.wire.message.CreateTopicsResponse;
import io.fencepost.broker.wire.message.DeleteTopicsRequest;
import io.fencepost.broker.wire.message.DeleteTopicsResponse;
import io.fencepost.broker.wire.message.DescribeClusterRequest;
import io.fencepost.broker.wire.message.DescribeClusterResponse;
import io.fencepost.broker.wire.message.DescribeConfigsRequest;
import io.fencepost.broker.wire.message.DescribeConfigsResponse;
import io.fencepost.broker.wire.message.DescribeTopicPartitionsRequest;
import io.fencepost.broker.wire.message.DescribeTopicPartitionsResponse;
import io.fencepost.broker.wire.message.ElectLeadersRequest;
import io.fencepost.broker.wire.message.ElectLeadersResponse;
import io.fencepost.broker.wire.message.IncrementalAlterConfigsRequest;
import io.fencepost.broker.wire.message.IncrementalAlterConfigsResponse;
import io.fencepost.broker.wire.message.MetadataRequest;
import io.fencepost.broker.wire.message.MetadataResponse;
import io.fencepost.broker.wire.message.UpdateFeaturesRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What the brokers 1, 2 and 3 of a cluster say about it, and do for clients. */
class ClusterApisTest {
  private static final int NEWEST_METADATA = 13;

  private final SimEntropy entropy = new SimEntropy(7);
  private final Controller controller =
      Controller.open(
          new SimDisk(entropy.named("disk")),
          entropy.named("ids"),
          BrokerConfig.defaults(),
          "test-cluster",
          List.of(1, 2, 3),
          notice -> {});
  private final TreeMap<Integer, BrokerMetadata> views = new TreeMap<>();

  ClusterApisTest() {
    for (int id = 1; id <= 3; id++) {
      views.put(id, controller.attach(config(id)));
      controller.register(new BrokerNode(id, "localhost", 9090 + id, null));
    }
    create("t", Map.of(0, List.of(1, 2, 3), 1, List.of(2, 3, 1)));
  }

  private static BrokerConfig config(int id) {
    return BrokerConfig.defaults().with("node.id", String.valueOf(id));
  }

  private void create(String name, Map<Integer, List<Integer>> assignment) {
    controller.createTopic(new NewTopic(name, -1, -1, new TreeMap<>(assignment), new TreeMap<>()));
  }

  private BrokerMetadata view(int id) {
    return Objects.requireNonNull(views.get(id));
  }

  private static <Q extends WireMessage, R extends WireMessage> R ask(
      ApiHandler<Q, R> handler, int version, Q request) {
    PartitionApis.Answer<R> answer = new PartitionApis.Answer<>();
    handler.handle(PartitionApis.context(version), request, answer);
    return answer.only();
  }

  private MetadataResponse metadata(int broker) {
    MetadataRequest all = new MetadataRequest();
    all.topics = null;
    return ask(new Metadata(view(broker), controller, config(broker)), NEWEST_METADATA, all);
  }

  private static List<Integer> brokers(MetadataResponse response) {
    List<Integer> ids = new ArrayList<>();
    response.brokers.forEach(broker -> ids.add(broker.nodeId));
    return ids;
  }

  @Test
  void metadata_names_brokers_that_are_alive_and_replicas_that_are_not() {
    assertThat(brokers(metadata(3))).containsExactly(1, 2, 3);
    assertThat(metadata(3).controllerId).isEqualTo(1);
    controller.fence(1, false);
    MetadataResponse response = metadata(3);
    assertThat(brokers(response)).containsExactly(2, 3);
    assertThat(response.controllerId).isEqualTo(2);
    MetadataResponse.MetadataResponsePartition partition =
        response.topics.iterator().next().partitions.get(0);
    assertThat(partition.leaderId).isEqualTo(2);
    assertThat(partition.leaderEpoch).isEqualTo(1);
    assertThat(partition.replicaNodes).containsExactly(1, 2, 3);
    assertThat(partition.isrNodes).containsExactly(2, 3);
    assertThat(partition.offlineReplicas).containsExactly(1);
    assertThat(partition.errorCode).isEqualTo(WireError.NONE.code());
  }

  @Test
  void a_partition_without_a_leader_says_so_and_who_may_lead_it() {
    controller.fence(1, false);
    controller.fence(2, false);
    controller.fence(3, false);
    MetadataResponse.MetadataResponsePartition partition =
        metadata(1).topics.iterator().next().partitions.get(0);
    assertThat(partition.leaderId).isEqualTo(-1);
    assertThat(partition.errorCode).isEqualTo(WireError.LEADER_NOT_AVAILABLE.code());
    assertThat(partition.offlineReplicas).containsExactly(1, 2, 3);
    DescribeTopicPartitionsResponse described =
        ask(new DescribeTopicPartitions(view(1)), 0, new DescribeTopicPartitionsRequest());
    var shown = described.topics.iterator().next().partitions.get(0);
    assertThat(shown.errorCode).isEqualTo(WireError.LEADER_NOT_AVAILABLE.code());
    assertThat(shown.isrNodes).isEmpty();
    assertThat(shown.eligibleLeaderReplicas).containsExactly(3);
    assertThat(shown.lastKnownElr).containsExactly(3);
    assertThat(shown.offlineReplicas).containsExactly(1, 2, 3);
  }

  @Test
  void a_broker_that_is_cut_off_tells_what_it_knew_and_sends_commands_elsewhere() {
    controller.disconnect(1);
    controller.fence(1, false);
    MetadataResponse old = metadata(1);
    assertThat(brokers(old)).containsExactly(1, 2, 3);
    assertThat(old.topics.iterator().next().partitions.get(0).leaderId).isEqualTo(1);
    assertThat(old.controllerId).isEqualTo(2);
  }

  @Test
  void fenced_brokers_are_described_if_somebody_asks() {
    controller.fence(2, false);
    DescribeClusterRequest request = new DescribeClusterRequest();
    DescribeClusterResponse alive = ask(new DescribeCluster(view(1)), 2, request);
    assertThat(alive.brokers.stream().map(b -> b.brokerId)).containsExactly(1, 3);
    request.includeFencedBrokers = true;
    DescribeClusterResponse all = ask(new DescribeCluster(view(1)), 2, request);
    assertThat(all.brokers.stream().map(b -> b.brokerId + " " + b.isFenced))
        .containsExactly("1 false", "2 true", "3 false");
    assertThat(all.controllerId).isEqualTo(1);
  }

  private ElectLeadersResponse elect(int broker, boolean all) {
    ElectLeadersRequest request = new ElectLeadersRequest();
    request.topicPartitions = null;
    if (!all) {
      ElectLeadersRequest.TopicPartitions topic = new ElectLeadersRequest.TopicPartitions();
      topic.topic = "t";
      topic.partitions = List.of(0, 1, 7);
      request.topicPartitions = List.of(topic);
    }
    return ask(new ElectLeaders(view(broker), controller), 2, request);
  }

  private static List<String> results(ElectLeadersResponse response) {
    List<String> results = new ArrayList<>();
    response.replicaElectionResults.forEach(
        topic ->
            topic.partitionResult.forEach(
                p ->
                    results.add(
                        topic.topic + "-" + p.partitionId + " " + WireError.of(p.errorCode))));
    return results;
  }

  @Test
  void first_replicas_lead_again_when_somebody_asks_for_it() {
    controller.leave(1);
    controller.register(new BrokerNode(1, "localhost", 9091, null));
    assertThat(results(elect(2, false)))
        .containsExactly(
            "t-0 PREFERRED_LEADER_NOT_AVAILABLE",
            "t-1 ELECTION_NOT_NEEDED",
            "t-7 UNKNOWN_TOPIC_OR_PARTITION");
    assertThat(results(elect(2, true))).containsExactly("t-0 PREFERRED_LEADER_NOT_AVAILABLE");
    controller.leave(2);
    assertThat(results(elect(3, true)))
        .containsExactly(
            "t-0 PREFERRED_LEADER_NOT_AVAILABLE", "t-1 PREFERRED_LEADER_NOT_AVAILABLE");
    controller.disconnect(3);
    assertThat(results(elect(3, false)))
        .containsExactly("t-0 NOT_CONTROLLER", "t-1 NOT_CONTROLLER", "t-7 NOT_CONTROLLER");
    assertThat(elect(3, true).errorCode).isEqualTo(WireError.NOT_CONTROLLER.code());
  }

  @Test
  void every_command_to_a_broker_that_is_cut_off_is_refused_item_by_item() {
    controller.disconnect(1);
    short wanted = WireError.NOT_CONTROLLER.code();
    assertThat(create()).isEqualTo(wanted);
    DeleteTopicsRequest delete = new DeleteTopicsRequest();
    delete.topicNames = List.of("t");
    DeleteTopicsResponse deleted = ask(new DeleteTopics(view(1), controller, config(1)), 5, delete);
    assertThat(deleted.responses.iterator().next().errorCode).isEqualTo(wanted);
    CreatePartitionsRequest grow = new CreatePartitionsRequest();
    CreatePartitionsRequest.CreatePartitionsTopic more =
        new CreatePartitionsRequest.CreatePartitionsTopic();
    more.name = "t";
    more.count = 9;
    more.assignments = null;
    grow.topics.add(more);
    CreatePartitionsResponse grown = ask(new CreatePartitions(view(1), controller), 3, grow);
    assertThat(grown.results.get(0).errorCode).isEqualTo(wanted);
    assertThat(grown.results.get(0).errorMessage)
        .isEqualTo("broker 1 has no connection to the controller; ask another broker");
    AlterConfigsRequest replace = new AlterConfigsRequest();
    AlterConfigsRequest.AlterConfigsResource topic = new AlterConfigsRequest.AlterConfigsResource();
    topic.resourceType = DescribeConfigs.TOPIC;
    topic.resourceName = "t";
    replace.resources.add(topic);
    AlterConfigsResponse replaced = ask(new AlterConfigs(view(1), controller), 2, replace);
    assertThat(replaced.responses.get(0).errorCode).isEqualTo(wanted);
    IncrementalAlterConfigsRequest alter = new IncrementalAlterConfigsRequest();
    IncrementalAlterConfigsRequest.AlterConfigsResource broker =
        new IncrementalAlterConfigsRequest.AlterConfigsResource();
    broker.resourceType = DescribeConfigs.BROKER;
    broker.resourceName = "1";
    alter.resources.add(broker);
    IncrementalAlterConfigsResponse altered =
        ask(new IncrementalAlterConfigs(view(1), controller), 1, alter);
    assertThat(altered.responses.get(0).errorCode).isEqualTo(wanted);
    assertThat(auto()).isEqualTo(WireError.LEADER_NOT_AVAILABLE.code());
    controller.connect(1);
    assertThat(create()).isEqualTo(WireError.NONE.code());
    assertThat(auto()).isEqualTo(WireError.NONE.code());
  }

  private short create() {
    CreateTopicsRequest request = new CreateTopicsRequest();
    CreateTopicsRequest.CreatableTopic topic = new CreateTopicsRequest.CreatableTopic();
    topic.name = "made";
    topic.numPartitions = 1;
    topic.replicationFactor = 3;
    request.topics.add(topic);
    CreateTopicsResponse response = ask(new CreateTopics(view(1), controller), 7, request);
    return response.topics.iterator().next().errorCode;
  }

  /** Asks for the metadata of a topic that is created by that. */
  private short auto() {
    MetadataRequest request = new MetadataRequest();
    MetadataRequest.MetadataRequestTopic topic = new MetadataRequest.MetadataRequestTopic();
    topic.name = "auto";
    request.topics = List.of(topic);
    request.allowAutoTopicCreation = true;
    MetadataResponse response =
        ask(new Metadata(view(1), controller, config(1)), NEWEST_METADATA, request);
    return response.topics.iterator().next().errorCode;
  }

  @Test
  void a_feature_has_one_level_in_the_whole_cluster() {
    Feature feature = new Feature("some.version", 0, 2);
    Features ofFirst = controller.features(List.of(feature));
    Features ofSecond = controller.features(List.of(feature));
    UpdateFeaturesRequest request = new UpdateFeaturesRequest();
    UpdateFeaturesRequest.FeatureUpdateKey update = new UpdateFeaturesRequest.FeatureUpdateKey();
    update.feature = "some.version";
    update.maxVersionLevel = 1;
    update.upgradeType = 2;
    request.featureUpdates.add(update);
    controller.disconnect(1);
    assertThat(ask(new UpdateFeatures(view(1), ofFirst), 2, request).errorCode)
        .isEqualTo(WireError.NOT_CONTROLLER.code());
    assertThat(ofSecond.levels().byName()).containsEntry("some.version", 2);
    controller.connect(1);
    assertThat(ask(new UpdateFeatures(view(1), ofFirst), 2, request).errorCode)
        .isEqualTo(WireError.NONE.code());
    assertThat(ofSecond.levels().byName()).containsEntry("some.version", 1);
  }

  @Test
  void the_flush_of_a_topic_is_shown_as_it_is_in_force() {
    create("one", Map.of(0, List.of(2)));
    assertThat(flush("t")).isEqualTo("os from 5, flush=os");
    assertThat(flush("one")).isEqualTo("group from 5, flush=group");
  }

  private String flush(String topic) {
    DescribeConfigsRequest request = new DescribeConfigsRequest();
    DescribeConfigsRequest.DescribeConfigsResource resource =
        new DescribeConfigsRequest.DescribeConfigsResource();
    resource.resourceType = DescribeConfigs.TOPIC;
    resource.resourceName = topic;
    resource.configurationKeys = List.of("flush");
    request.resources.add(resource);
    request.includeSynonyms = true;
    DescribeConfigsResponse response = ask(new DescribeConfigs(view(1)), 4, request);
    var config = response.results.get(0).configs.get(0);
    var synonym = config.synonyms.get(0);
    return config.value
        + " from "
        + config.configSource
        + ", "
        + synonym.name
        + "="
        + synonym.value;
  }
}
