package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.message.CreateTopicsRequest;
import io.fencepost.broker.wire.message.CreateTopicsResponse;
import io.fencepost.broker.wire.message.DeleteTopicsRequest;
import io.fencepost.broker.wire.message.DeleteTopicsResponse;
import io.fencepost.broker.wire.message.WriteTxnMarkersRequest;
import io.fencepost.broker.wire.message.WriteTxnMarkersResponse;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Markers by hand, as tools write them, and transactions whose topic goes away. */
interface MarkerAnswers extends Asked {
  private String mark(
      int version, Producer producer, String topic, int transactionVersion, int coordinatorEpoch) {
    WriteTxnMarkersRequest.WritableTxnMarkerTopic named =
        new WriteTxnMarkersRequest.WritableTxnMarkerTopic();
    named.name = topic;
    named.partitionIndexes.add(0);
    WriteTxnMarkersRequest.WritableTxnMarker marker =
        new WriteTxnMarkersRequest.WritableTxnMarker();
    marker.producerId = producer.id();
    marker.producerEpoch = (short) producer.epoch();
    marker.coordinatorEpoch = coordinatorEpoch;
    marker.transactionVersion = (byte) transactionVersion;
    marker.topics.add(named);
    WriteTxnMarkersRequest request = new WriteTxnMarkersRequest();
    request.markers.add(marker);
    return Talk.name(
        talk()
            .ask(ApiKey.WRITE_TXN_MARKERS, version, request, WriteTxnMarkersResponse.class)
            .markers
            .get(0)
            .topics
            .get(0)
            .partitions
            .get(0)
            .errorCode);
  }

  private String produce(int version, Producer producer, Talk.Topic topic, int sequence) {
    return TxnTalk.patiently(() -> talk().produce(version, producer, topic, sequence, 1));
  }

  @Test
  default void markers_that_know_of_version_2_must_raise_the_epoch() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    assertThat(produce(12, producer, topic, 0)).isEqualTo("@0");
    assertThat(mark(2, producer, topic.name(), 2, 100)).isEqualTo("INVALID_PRODUCER_EPOCH");
    assertThat(talk().lastStable(topic, 0)).isZero();
    assertThat(mark(2, producer.inEpoch(1), topic.name(), 2, 100)).isEqualTo("NONE");
    assertThat(talk().log(topic, 0)).containsExactly("data 0-0 e0", "abort 1-1 e1");
    assertThat(talk().lastStable(topic, 0)).isEqualTo(2);
  }

  @Test
  default void markers_of_older_versions_may_keep_the_epoch() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    assertThat(produce(12, producer, topic, 0)).isEqualTo("@0");
    assertThat(mark(1, producer, topic.name(), 0, 100)).isEqualTo("NONE");
    assertThat(talk().log(topic, 0)).containsExactly("data 0-0 e0", "abort 1-1 e0");
  }

  @Test
  default void markers_of_a_stale_epoch_or_coordinator_are_fenced() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    assertThat(txn().reinit(4, producer)).isEqualTo("same id epoch 1");
    assertThat(produce(12, producer.inEpoch(1), topic, 0)).isEqualTo("@0");
    assertThat(mark(1, producer, topic.name(), 0, 100)).isEqualTo("INVALID_PRODUCER_EPOCH");
    assertThat(mark(1, producer.inEpoch(1), topic.name(), 0, 100)).isEqualTo("NONE");
    assertThat(mark(1, producer.inEpoch(1), topic.name(), 0, 99))
        .isEqualTo("TRANSACTION_COORDINATOR_FENCED");
    assertThat(mark(1, producer.inEpoch(1), topic.name(), 0, 101)).isEqualTo("NONE");
  }

  @Test
  default void a_marker_for_a_topic_that_does_not_exist() {
    Producer producer = txn().newProducer();
    assertThat(mark(1, producer, Talk.fresh("none"), 0, 0)).isEqualTo("UNKNOWN_TOPIC_OR_PARTITION");
  }

  private void delete(Talk.Topic topic) {
    DeleteTopicsRequest request = new DeleteTopicsRequest();
    request.topicNames.add(topic.name());
    request.timeoutMs = 10_000;
    assertThat(
            talk()
                .ask(ApiKey.DELETE_TOPICS, 5, request, DeleteTopicsResponse.class)
                .responses
                .get(0)
                .errorCode)
        .isZero();
    Awaitility.await()
        .pollInterval(20, TimeUnit.MILLISECONDS)
        .until(() -> talk().offset(topic.name(), 0, -1, 0).startsWith("UNKNOWN_TOPIC"));
  }

  private Talk.Topic createAgain(Talk.Topic topic) {
    CreateTopicsRequest.CreatableTopic wanted = new CreateTopicsRequest.CreatableTopic();
    wanted.name = topic.name();
    wanted.numPartitions = 1;
    wanted.replicationFactor = 1;
    CreateTopicsRequest request = new CreateTopicsRequest();
    request.topics.add(wanted);
    Uuid id =
        talk()
            .ask(ApiKey.CREATE_TOPICS, 7, request, CreateTopicsResponse.class)
            .topics
            .get(0)
            .topicId;
    Awaitility.await()
        .pollInterval(10, TimeUnit.MILLISECONDS)
        .until(() -> talk().offset(topic.name(), 0, -1, 0).startsWith("NONE"));
    return new Talk.Topic(topic.name(), id);
  }

  @Test
  default void a_transaction_whose_topic_was_deleted_can_still_be_ended() {
    for (boolean commit : new boolean[] {true, false}) {
      Talk.Topic gone = talk().newTopic(1);
      Talk.Topic other = talk().newTopic(1);
      Producer producer = txn().newProducer();
      assertThat(produce(12, producer, gone, 0)).isEqualTo("@0");
      assertThat(produce(12, producer, other, 0)).isEqualTo("@0");
      delete(gone);
      assertThat(talk().produce(12, producer, gone, 1, 1)).isEqualTo("UNKNOWN_TOPIC_OR_PARTITION");
      assertThat(talk().produce(13, producer, gone, 1, 1)).isEqualTo("UNKNOWN_TOPIC_ID");
      assertThat(txn().end(5, producer, commit)).isEqualTo("same id epoch 1");
      Awaitility.await()
          .pollInterval(10, TimeUnit.MILLISECONDS)
          .until(() -> talk().lastStable(other, 0) == 2);
      assertThat(produce(12, producer.inEpoch(1), other, 0)).isEqualTo("@2");
      assertThat(txn().end(5, producer.inEpoch(1), true)).isEqualTo("same id epoch 2");
    }
  }

  @Test
  default void nothing_of_a_transaction_lands_in_a_topic_that_was_created_again_but_its_marker() {
    Talk.Topic old = talk().newTopic(1);
    Producer producer = txn().newProducer();
    assertThat(produce(12, producer, old, 0)).isEqualTo("@0");
    assertThat(produce(12, producer, old, 1)).isEqualTo("@1");
    delete(old);
    Talk.Topic again = createAgain(old);
    assertThat(produce(13, producer, old, 2)).isEqualTo("UNKNOWN_TOPIC_ID");
    assertThat(produce(12, producer, again, 2)).isEqualTo("OUT_OF_ORDER_SEQUENCE_NUMBER");
    assertThat(txn().end(5, producer, true)).isEqualTo("same id epoch 1");
    Awaitility.await()
        .pollInterval(10, TimeUnit.MILLISECONDS)
        .untilAsserted(
            () -> assertThat(talk().log(again, 0)).isIn(List.of(), List.of("commit 0-0 e1")));
    assertThat(talk().lastStable(again, 0)).isEqualTo(talk().end(again, 0));
    Producer next = producer.inEpoch(1);
    assertThat(produce(12, next, again, 0)).startsWith("@");
    assertThat(txn().end(5, next, true)).isEqualTo("same id epoch 2");
    Awaitility.await()
        .pollInterval(10, TimeUnit.MILLISECONDS)
        .until(() -> talk().lastStable(again, 0) == talk().end(again, 0));
  }
}
