package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.message.CreatePartitionsRequest;
import io.fencepost.broker.wire.message.CreatePartitionsResponse;
import io.fencepost.broker.wire.message.CreateTopicsRequest;
import io.fencepost.broker.wire.message.CreateTopicsRequest.CreatableReplicaAssignment;
import io.fencepost.broker.wire.message.CreateTopicsRequest.CreatableTopic;
import io.fencepost.broker.wire.message.CreateTopicsRequest.CreatableTopicConfig;
import io.fencepost.broker.wire.message.CreateTopicsResponse;
import io.fencepost.broker.wire.message.DeleteRecordsRequest;
import io.fencepost.broker.wire.message.DeleteRecordsResponse;
import io.fencepost.broker.wire.message.DeleteTopicsRequest;
import io.fencepost.broker.wire.message.DeleteTopicsResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Bad wishes about topics and their settings. */
interface AdminAnswers extends Asked {
  private String create(Consumer<CreatableTopic> change) {
    return createAll(false, List.of(change)).get(0);
  }

  private List<String> createAll(boolean validateOnly, List<Consumer<CreatableTopic>> changes) {
    CreateTopicsRequest request = new CreateTopicsRequest();
    request.validateOnly = validateOnly;
    request.timeoutMs = 10_000;
    for (Consumer<CreatableTopic> change : changes) {
      CreatableTopic topic = new CreatableTopic();
      topic.name = Talk.fresh("t");
      topic.numPartitions = 1;
      topic.replicationFactor = 1;
      change.accept(topic);
      request.topics.add(topic);
    }
    List<String> answers = new ArrayList<>();
    talk()
        .ask(ApiKey.CREATE_TOPICS, 7, request, CreateTopicsResponse.class)
        .topics
        .forEach(topic -> answers.add(Talk.name(topic.errorCode)));
    return answers;
  }

  private static Consumer<CreatableTopic> named(String name) {
    return topic -> topic.name = name;
  }

  private static Consumer<CreatableTopic> configured(String key, String value) {
    return topic -> {
      CreatableTopicConfig config = new CreatableTopicConfig();
      config.name = key;
      config.value = value;
      topic.configs.add(config);
    };
  }

  private static Consumer<CreatableTopic> assigned(int... replicas) {
    return topic -> {
      CreatableReplicaAssignment assignment = new CreatableReplicaAssignment();
      for (int replica : replicas) {
        assignment.brokerIds.add(replica);
      }
      topic.numPartitions = -1;
      topic.replicationFactor = -1;
      topic.assignments.add(assignment);
    };
  }

  @Test
  default void topics_that_cannot_be_created() {
    Talk.Topic there = talk().newTopic(1);
    assertThat(create(named(there.name()))).isEqualTo("TOPIC_ALREADY_EXISTS");
    assertThat(create(named("a b"))).isEqualTo("INVALID_TOPIC_EXCEPTION");
    assertThat(create(named(""))).isEqualTo("INVALID_TOPIC_EXCEPTION");
    assertThat(create(named("."))).isEqualTo("INVALID_TOPIC_EXCEPTION");
    assertThat(create(named("x".repeat(250)))).isEqualTo("INVALID_TOPIC_EXCEPTION");
    assertThat(create(topic -> topic.numPartitions = 0)).isEqualTo("INVALID_PARTITIONS");
    assertThat(create(topic -> topic.numPartitions = -2)).isEqualTo("INVALID_PARTITIONS");
    assertThat(create(topic -> topic.replicationFactor = 0))
        .isEqualTo("INVALID_REPLICATION_FACTOR");
    assertThat(create(topic -> topic.replicationFactor = 3))
        .isEqualTo("INVALID_REPLICATION_FACTOR");
    assertThat(create(topic -> topic.numPartitions = -1)).isEqualTo("NONE");
    assertThat(create(topic -> topic.replicationFactor = -1)).isEqualTo("NONE");
    assertThat(create(assigned(77))).isEqualTo("INVALID_REPLICA_ASSIGNMENT");
    assertThat(create(assigned())).isEqualTo("INVALID_REPLICA_ASSIGNMENT");
    assertThat(create(assigned(1, 1))).isEqualTo("INVALID_REPLICA_ASSIGNMENT");
  }

  @Test
  default void topic_settings_that_are_refused_at_creation() {
    assertThat(create(configured("no.such.key", "1"))).isEqualTo("INVALID_CONFIG");
    assertThat(create(configured("retention.ms", "soon"))).isEqualTo("INVALID_CONFIG");
    assertThat(create(configured("retention.ms", "-2"))).isEqualTo("INVALID_CONFIG");
    assertThat(create(configured("cleanup.policy", "burn"))).isEqualTo("INVALID_CONFIG");
    assertThat(create(configured("min.insync.replicas", "0"))).isEqualTo("INVALID_CONFIG");
    assertThat(create(configured("compression.type", "zip"))).isEqualTo("INVALID_CONFIG");
    assertThat(create(configured("segment.bytes", "1"))).isEqualTo("INVALID_CONFIG");
  }

  @Test
  default void one_name_twice_in_a_request_and_validation_only() {
    String name = Talk.fresh("t");
    assertThat(createAll(false, List.of(named(name), named(name), topic -> {})))
        .containsExactlyInAnyOrder("INVALID_REQUEST", "NONE");
    assertThat(createAll(true, List.of(named(name)))).containsExactly("NONE");
    assertThat(createAll(false, List.of(named(name)))).containsExactly("NONE");
    assertThat(createAll(true, List.of(named(name)))).containsExactly("TOPIC_ALREADY_EXISTS");
  }

  @Test
  default void names_that_differ_in_dots_and_underscores_collide() {
    String name = Talk.fresh("t");
    assertThat(create(named(name + ".a"))).isEqualTo("NONE");
    assertThat(create(named(name + "_a"))).isEqualTo("INVALID_TOPIC_EXCEPTION");
  }

  @Test
  default void partitions_that_cannot_be_added() {
    Talk.Topic topic = talk().newTopic(2);
    assertThat(grow(topic.name(), 2)).isEqualTo("INVALID_PARTITIONS");
    assertThat(grow(topic.name(), 1)).isEqualTo("INVALID_PARTITIONS");
    assertThat(grow(topic.name(), -1)).isEqualTo("INVALID_PARTITIONS");
    assertThat(grow(Talk.fresh("unknown"), 3)).isEqualTo("UNKNOWN_TOPIC_OR_PARTITION");
    assertThat(grow(topic.name(), 3)).isEqualTo("NONE");
  }

  private String grow(String topic, int count) {
    CreatePartitionsRequest.CreatePartitionsTopic wish =
        new CreatePartitionsRequest.CreatePartitionsTopic();
    wish.name = topic;
    wish.count = count;
    wish.assignments = null;
    CreatePartitionsRequest request = new CreatePartitionsRequest();
    request.timeoutMs = 10_000;
    request.topics.add(wish);
    return Talk.name(
        talk()
            .ask(ApiKey.CREATE_PARTITIONS, 3, request, CreatePartitionsResponse.class)
            .results
            .get(0)
            .errorCode);
  }

  @Test
  default void topics_that_cannot_be_deleted() {
    Talk.Topic topic = talk().newTopic(1);
    DeleteTopicsRequest.DeleteTopicState unknown = new DeleteTopicsRequest.DeleteTopicState();
    unknown.name = Talk.fresh("unknown");
    assertThat(delete(unknown)).isEqualTo("UNKNOWN_TOPIC_OR_PARTITION");
    DeleteTopicsRequest.DeleteTopicState byId = new DeleteTopicsRequest.DeleteTopicState();
    byId.topicId = new Uuid(8, 9);
    assertThat(delete(byId)).isEqualTo("UNKNOWN_TOPIC_ID");
    byId.topicId = topic.id();
    byId.name = topic.name();
    assertThat(delete(byId)).isEqualTo("INVALID_REQUEST");
    byId.name = null;
    assertThat(delete(byId)).isEqualTo("NONE");
    assertThat(delete(byId)).isEqualTo("UNKNOWN_TOPIC_ID");
  }

  private String delete(DeleteTopicsRequest.DeleteTopicState state) {
    DeleteTopicsRequest request = new DeleteTopicsRequest();
    request.timeoutMs = 10_000;
    request.topics.add(state);
    return Talk.name(
        talk()
            .ask(ApiKey.DELETE_TOPICS, 6, request, DeleteTopicsResponse.class)
            .responses
            .get(0)
            .errorCode);
  }

  @Test
  default void coordinators_topics_are_not_for_everybody() {
    assertThat(create(named("__consumer_offsets"))).isEqualTo("TOPIC_ALREADY_EXISTS");
    assertThat(create(named("__cluster_metadata"))).isEqualTo(answerToMakingClusterMetadata());
    assertThat(grow("__transaction_state", 1)).isEqualTo(answerToGrowingCoordinatorsTopics());
  }

  default String answerToGrowingCoordinatorsTopics() {
    return "INVALID_PARTITIONS";
  }

  default String answerToMakingClusterMetadata() {
    return "INVALID_REQUEST";
  }

  @Test
  default void records_are_deleted_up_to_the_high_watermark() {
    Talk.Topic topic = talk().newTopic(1);
    for (int i = 0; i < 3; i++) {
      talk().produce(9, Producer.NOBODY, topic, 0, Producer.fill(BatchWriter.at(0), 1));
    }
    assertThat(deleteRecords(topic.name(), 0, 4)).isEqualTo("OFFSET_OUT_OF_RANGE start -1");
    assertThat(deleteRecords(topic.name(), 0, -2)).isEqualTo("OFFSET_OUT_OF_RANGE start -1");
    assertThat(deleteRecords(topic.name(), 0, 2)).isEqualTo("NONE start 2");
    assertThat(deleteRecords(topic.name(), 0, 1)).isEqualTo("NONE start 2");
    assertThat(deleteRecords(topic.name(), 0, -1)).isEqualTo("NONE start 3");
    assertThat(deleteRecords(topic.name(), 5, 0)).isEqualTo("UNKNOWN_TOPIC_OR_PARTITION start -1");
    Talk.Topic compacted = talk().newTopic(1, "cleanup.policy", "compact");
    assertThat(deleteRecords(compacted.name(), 0, 0)).isEqualTo("POLICY_VIOLATION start -1");
    assertThat(deleteRecords("__consumer_offsets", 0, 0))
        .isEqualTo(answerToDeletingCoordinatorsRecords());
  }

  default String answerToDeletingCoordinatorsRecords() {
    return "INVALID_TOPIC_EXCEPTION start -1";
  }

  private String deleteRecords(String topic, int partition, long offset) {
    DeleteRecordsRequest.DeleteRecordsPartition wish =
        new DeleteRecordsRequest.DeleteRecordsPartition();
    wish.partitionIndex = partition;
    wish.offset = offset;
    DeleteRecordsRequest.DeleteRecordsTopic wishes = new DeleteRecordsRequest.DeleteRecordsTopic();
    wishes.name = topic;
    wishes.partitions.add(wish);
    DeleteRecordsRequest request = new DeleteRecordsRequest();
    request.timeoutMs = 10_000;
    request.topics.add(wishes);
    DeleteRecordsResponse.DeleteRecordsPartitionResult answer =
        talk()
            .ask(ApiKey.DELETE_RECORDS, 2, request, DeleteRecordsResponse.class)
            .topics
            .get(0)
            .partitions
            .get(0);
    return Talk.name(answer.errorCode) + " start " + answer.lowWatermark;
  }
}
