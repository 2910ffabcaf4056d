package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.message.WriteTxnMarkersRequest;
import io.fencepost.broker.wire.message.WriteTxnMarkersResponse;

/** A transaction that is open in a partition and that no coordinator will ever end. */
final class Hanging {
  private static final int NEWER_COORDINATOR = 1_000;

  private Hanging() {}

  /**
   * Leaves one in partition 0 of the topic, from offset 2 on: a marker from a coordinator of the
   * future ends the transaction there, it is opened once more, and the marker of the real
   * coordinator is too old to end it.
   */
  static Producer leave(Asked on, Talk.Topic topic) {
    Producer producer = on.txn().newProducer();
    assertThat(on.txn().add(3, producer, topic, 0)).isEqualTo("NONE");
    assertThat(on.talk().produce(9, producer, topic, 0, 1)).isEqualTo("@0");
    WriteTxnMarkersRequest.WritableTxnMarkerTopic named =
        new WriteTxnMarkersRequest.WritableTxnMarkerTopic();
    named.name = topic.name();
    named.partitionIndexes.add(0);
    WriteTxnMarkersRequest.WritableTxnMarker marker =
        new WriteTxnMarkersRequest.WritableTxnMarker();
    marker.producerId = producer.id();
    marker.producerEpoch = (short) producer.epoch();
    marker.coordinatorEpoch = NEWER_COORDINATOR;
    marker.topics.add(named);
    WriteTxnMarkersRequest request = new WriteTxnMarkersRequest();
    request.markers.add(marker);
    var unused = on.talk().ask(ApiKey.WRITE_TXN_MARKERS, 1, request, WriteTxnMarkersResponse.class);
    assertThat(on.talk().produce(9, producer, topic, 1, 1)).isEqualTo("@2");
    assertThat(on.txn().end(3, producer, true)).isEqualTo("NONE");
    assertThat(on.txn().init(Talks.text(producer.transactionalId())).epoch()).isEqualTo(1);
    assertThat(on.talk().lastStable(topic, 0)).isEqualTo(2);
    return producer;
  }
}
