package io.fencepost.broker.api;

import static io.fencepost.broker.api.PartitionApis.errorOf;
import static io.fencepost.broker.api.PartitionApis.partOf;
import static io.fencepost.broker.api.PartitionApis.produceRequest;
import static io.fencepost.broker.replica.ReplicaFixture.idempotent;
import static io.fencepost.broker.replica.ReplicaFixture.plain;
import static io.fencepost.broker.replica.ReplicaFixture.transactional;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.api.PartitionApis.Answer;
import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.ProduceRequest;
import io.fencepost.broker.wire.message.ProduceResponse;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProduceTest {
  private final PartitionApis apis = new PartitionApis(FlushPolicy.OS);

  private static ProduceRequest transactionalRequest(int version, ByteBuffer records) {
    ProduceRequest request = produceRequest(version, -1, records);
    request.transactionalId = "payments-0";
    return request;
  }

  @ParameterizedTest(name = "version {0}")
  @ValueSource(ints = {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13})
  void a_batch_is_appended_and_its_offset_answered(int version) {
    apis.produce(version, produceRequest(version, -1, plain(2)));
    Answer<ProduceResponse> answer = apis.produce(version, produceRequest(version, -1, plain(1)));
    assertThat(errorOf(answer)).isEqualTo(WireError.NONE);
    assertThat(partOf(answer).baseOffset).isEqualTo(2);
    assertThat(partOf(answer).logAppendTimeMs).isEqualTo(-1);
    assertThat(partOf(answer).logStartOffset).isZero();
  }

  @Test
  void with_group_flush_the_answer_waits_for_the_disk() {
    PartitionApis group = new PartitionApis(FlushPolicy.GROUP);
    Answer<ProduceResponse> all = group.produce(9, produceRequest(9, -1, plain(1)));
    Answer<ProduceResponse> one = group.produce(9, produceRequest(9, 1, plain(1)));
    assertThat(all.isOpen()).isTrue();
    assertThat(one.isOpen()).isTrue();
    group.fixture.settle();
    assertThat(partOf(all).baseOffset).isZero();
    assertThat(partOf(one).baseOffset).isEqualTo(1);
  }

  @Test
  void acks_0_is_not_answered_and_an_error_closes_the_connection() {
    assertThat(apis.produce(9, produceRequest(9, 0, plain(1))).silent).isEqualTo(1);
    Answer<ProduceResponse> answer = apis.produce(9, produceRequest(9, 0, idempotent(7, 0, -1, 1)));
    assertThat(answer.closed).hasSize(1);
    assertThat(answer.closed.get(0)).contains("orders-0", "INVALID_RECORD");
  }

  @ParameterizedTest
  @ValueSource(ints = {2, -2, 100})
  void other_acks_are_refused(int acks) {
    assertThat(errorOf(apis.produce(9, produceRequest(9, acks, plain(1)))))
        .isEqualTo(WireError.INVALID_REQUIRED_ACKS);
    assertThat(apis.fixture.gate.logEndOffset()).isZero();
  }

  @Test
  void what_is_not_here_gets_the_error_that_says_where_it_is() {
    ProduceRequest byId = produceRequest(13, -1, plain(1));
    byId.topicData.get(0).topicId = PartitionApis.UNKNOWN_ID;
    assertThat(errorOf(apis.produce(13, byId))).isEqualTo(WireError.UNKNOWN_TOPIC_ID);
    assertThat(errorOf(apis.produce(9, produceRequest(9, -1, 5, plain(1)))))
        .isEqualTo(WireError.UNKNOWN_TOPIC_OR_PARTITION);
    Answer<ProduceResponse> moved = apis.produce(10, produceRequest(10, -1, 1, plain(1)));
    assertThat(errorOf(moved)).isEqualTo(WireError.NOT_LEADER_OR_FOLLOWER);
    assertThat(partOf(moved).currentLeader.leaderId).isEqualTo(2);
    assertThat(partOf(moved).currentLeader.leaderEpoch).isEqualTo(4);
  }

  @Test
  void zstd_needs_version_7() {
    ByteBuffer zstd = plain(1);
    zstd.putShort(zstd.position() + 21, (short) 4);
    int crc = (int) new BatchView().wrap(zstd, zstd.position()).computeCrc();
    zstd.putInt(zstd.position() + 17, crc);
    assertThat(errorOf(apis.produce(6, produceRequest(6, -1, zstd))))
        .isEqualTo(WireError.UNSUPPORTED_COMPRESSION_TYPE);
    assertThat(errorOf(apis.produce(7, produceRequest(7, -1, zstd))))
        .as("it is none, but could be")
        .isEqualTo(WireError.INVALID_RECORD);
  }

  @Test
  void a_transactional_batch_needs_a_transactional_id() {
    ProduceRequest request = produceRequest(9, -1, transactional(7, 0, 0, 1));
    assertThat(errorOf(apis.produce(9, request)))
        .isEqualTo(WireError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED);
    assertThat(apis.admissions).isEmpty();
  }

  @Test
  void the_coordinator_is_asked_for_the_first_batch_of_a_transaction_only() {
    for (int sequence = 0; sequence < 3; sequence++) {
      ProduceRequest request = transactionalRequest(12, transactional(7, 0, sequence, 1));
      assertThat(errorOf(apis.produce(12, request))).isEqualTo(WireError.NONE);
    }
    assertThat(apis.admissions).hasSize(1);
    assertThat(apis.admissions.get(0).addIfAbsent()).isTrue();
    assertThat(apis.admissions.get(0).transactionalId()).isEqualTo("payments-0");
    assertThat(apis.fixture.gate.lastStableOffset()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "10, INVALID_TXN_STATE, INVALID_TXN_STATE",
    "10, TRANSACTION_ABORTABLE, INVALID_TXN_STATE",
    "11, INVALID_TXN_STATE, TRANSACTION_ABORTABLE",
    "12, PRODUCER_FENCED, INVALID_PRODUCER_EPOCH",
    "11, CONCURRENT_TRANSACTIONS, NOT_ENOUGH_REPLICAS",
    "12, CONCURRENT_TRANSACTIONS, CONCURRENT_TRANSACTIONS",
    "12, NOT_COORDINATOR, NOT_ENOUGH_REPLICAS",
    "12, INVALID_PRODUCER_ID_MAPPING, INVALID_PRODUCER_ID_MAPPING"
  })
  void a_refusal_is_told_as_the_version_knows_it(int version, WireError told, WireError expected) {
    apis.admission = told;
    ProduceRequest request = transactionalRequest(version, transactional(7, 0, 0, 1));
    assertThat(errorOf(apis.produce(version, request))).isEqualTo(expected);
    assertThat(apis.fixture.gate.logEndOffset()).as("nothing is written").isZero();
  }

  @Test
  void an_old_version_may_begin_at_any_sequence_and_does_not_add() {
    ProduceRequest request = transactionalRequest(11, transactional(7, 0, 40, 1));
    assertThat(errorOf(apis.produce(11, request))).isEqualTo(WireError.NONE);
    assertThat(apis.admissions.get(0).addIfAbsent()).isFalse();
    PartitionApis other = new PartitionApis(FlushPolicy.OS);
    ProduceRequest implicit = transactionalRequest(12, transactional(7, 0, 40, 1));
    assertThat(errorOf(other.produce(12, implicit)))
        .isEqualTo(WireError.OUT_OF_ORDER_SEQUENCE_NUMBER);
  }

  @Test
  void a_refusal_names_partition_producer_epoch_and_sequences_to_the_client_and_the_operator() {
    apis.produce(9, produceRequest(9, -1, idempotent(7, 3, 0, 2)));
    Answer<ProduceResponse> gap = apis.produce(9, produceRequest(9, -1, idempotent(7, 3, 5, 1)));
    assertThat(partOf(gap).errorMessage)
        .isEqualTo("orders-0: producer 7 in epoch 3 sent sequence 5 where 2 must come next");
    Answer<ProduceResponse> stale = apis.produce(9, produceRequest(9, -1, idempotent(7, 1, 2, 1)));
    assertThat(partOf(stale).errorMessage)
        .isEqualTo("orders-0: producer 7 is in epoch 3 here and may not write with epoch 1");
    assertThat(apis.refusals)
        .containsExactly(
            "Refused a batch with OUT_OF_ORDER_SEQUENCE_NUMBER: " + partOf(gap).errorMessage,
            "Refused a batch with INVALID_PRODUCER_EPOCH: " + partOf(stale).errorMessage);
  }

  @Test
  void nothing_is_remembered_of_producers_that_the_coordinator_does_not_know() {
    for (WireError unknown :
        new WireError[] {WireError.INVALID_PRODUCER_ID_MAPPING, WireError.INVALID_PRODUCER_EPOCH}) {
      apis.admission = unknown;
      ProduceRequest refused = transactionalRequest(11, transactional(7, 0, 5, 1));
      assertThat(errorOf(apis.produce(11, refused))).isEqualTo(unknown);
      apis.admission = WireError.NONE;
      ProduceRequest implicit = transactionalRequest(12, transactional(7, 0, 5, 1));
      assertThat(errorOf(apis.produce(12, implicit)))
          .as("as of one that was never here")
          .isEqualTo(WireError.OUT_OF_ORDER_SEQUENCE_NUMBER);
    }
  }
}
