package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.message.ProduceRequest;
import io.fencepost.broker.wire.message.ProduceResponse;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What may be in a produce request. */
interface ProduceAnswers extends Asked {
  int PRODUCE_VERSION = 9;

  /** Where fields are in a batch. */
  int CRC_AT = 17;

  int LAST_OFFSET_DELTA_AT = 23;

  private ByteBuffer plain(int records) {
    return Producer.fill(BatchWriter.at(0), records);
  }

  /** A plain batch with a header field changed and the checksum set right. */
  private ByteBuffer changed(int records, Consumer<ByteBuffer> change) {
    ByteBuffer batch = plain(records);
    change.accept(batch);
    batch.putInt(CRC_AT, (int) new BatchView().wrap(batch, 0).computeCrc());
    return batch;
  }

  private String produce(Talk.Topic topic, ByteBuffer records) {
    return talk().produce(PRODUCE_VERSION, Producer.NOBODY, topic, 0, records);
  }

  @Test
  default void batches_that_lie_about_offsets_are_invalid() {
    Talk.Topic topic = talk().newTopic(1);
    assertThat(produce(topic, changed(2, batch -> batch.putLong(0, 7))))
        .isEqualTo("INVALID_RECORD");
    assertThat(produce(topic, changed(2, batch -> batch.putInt(LAST_OFFSET_DELTA_AT, 5))))
        .isEqualTo("INVALID_RECORD");
    assertThat(talk().end(topic, 0)).isZero();
  }

  @Test
  default void a_batch_with_a_wrong_checksum_is_corrupt() {
    Talk.Topic topic = talk().newTopic(1);
    ByteBuffer batch = plain(1);
    batch.putInt(CRC_AT, 1);
    assertThat(produce(topic, batch)).isEqualTo("CORRUPT_MESSAGE");
  }

  @Test
  default void a_control_batch_of_a_client_is_invalid() {
    Talk.Topic topic = talk().newTopic(1);
    assertThat(produce(topic, Producer.fill(BatchWriter.at(0).control(), 1)))
        .isEqualTo("INVALID_RECORD");
  }

  @Test
  default void a_client_that_claims_the_append_time() {
    Talk.Topic topic = talk().newTopic(1);
    assertThat(produce(topic, Producer.fill(BatchWriter.at(0).appendTime(5), 1)))
        .isEqualTo(answerToAClaimedAppendTime());
  }

  /** Kafka puts the true kind of time into the batch. */
  default String answerToAClaimedAppendTime() {
    return "@0";
  }

  @Test
  default void two_batches_for_one_partition_are_invalid() {
    Talk.Topic topic = talk().newTopic(1);
    ByteBuffer one = plain(1);
    ByteBuffer two = plain(1);
    ByteBuffer both = ByteBuffer.allocate(one.remaining() + two.remaining());
    both.put(one).put(two).flip();
    assertThat(produce(topic, both)).isEqualTo("INVALID_RECORD");
    assertThat(talk().end(topic, 0)).isZero();
  }

  @Test
  default void acks_other_than_minus_1_0_and_1_are_refused() {
    Talk.Topic topic = talk().newTopic(1);
    ProduceRequest request =
        Talk.produceRequest(PRODUCE_VERSION, Producer.NOBODY, topic, 0, plain(1));
    request.acks = 2;
    assertThat(Talk.text(talk().produced(PRODUCE_VERSION, request)))
        .isEqualTo("INVALID_REQUIRED_ACKS");
  }

  @Test
  default void no_more_in_sync_replicas_are_wanted_than_the_partition_has() {
    Talk.Topic topic = talk().newTopic(1, "min.insync.replicas", "2");
    assertThat(produce(topic, plain(1))).isEqualTo("@0");
  }

  @Test
  default void a_compacted_topic_takes_no_record_without_key() {
    Talk.Topic topic = talk().newTopic(1, "cleanup.policy", "compact");
    ByteBuffer keyless = BatchWriter.at(0).add(1, null, new byte[1]).build();
    assertThat(produce(topic, keyless)).isEqualTo("INVALID_RECORD");
    assertThat(produce(topic, plain(1))).isEqualTo("@0");
  }

  @Test
  default void of_a_refused_batch_the_records_to_blame_are_named() {
    Talk.Topic compacted = talk().newTopic(1, "cleanup.policy", "compact");
    byte[] key = new byte[1];
    assertThat(
            blamed(
                compacted,
                BatchWriter.at(0).add(1, key, null).add(1, null, key).add(1, null, key).build()))
        .isEqualTo("INVALID_RECORD [1, 2]");
    long now = System.currentTimeMillis();
    long late = now + 7_200_000;
    assertThat(
            blamed(
                compacted,
                BatchWriter.at(0)
                    .add(late, key, null)
                    .add(now, key, null)
                    .add(late, null, null)
                    .build()))
        .isEqualTo("INVALID_TIMESTAMP [0, 2]");
    assertThat(blamed(compacted, plain(2))).isEqualTo("NONE []");
  }

  private String blamed(Talk.Topic topic, ByteBuffer batch) {
    ProduceResponse.PartitionProduceResponse answer =
        talk()
            .produced(
                PRODUCE_VERSION,
                Talk.produceRequest(PRODUCE_VERSION, Producer.NOBODY, topic, 0, batch));
    answer.recordErrors.forEach(each -> assertThat(each.batchIndexErrorMessage).isNotEmpty());
    return Talk.name(answer.errorCode)
        + " "
        + answer.recordErrors.stream().map(each -> each.batchIndex).toList();
  }

  @Test
  default void times_too_far_from_now_are_refused() {
    Talk.Topic topic =
        talk()
            .newTopic(
                1,
                "message.timestamp.before.max.ms",
                "3600000",
                "message.timestamp.after.max.ms",
                "3600000");
    long now = System.currentTimeMillis();
    assertThat(produce(topic, BatchWriter.at(0).add(now - 7_200_000, null, null).build()))
        .isEqualTo("INVALID_TIMESTAMP");
    assertThat(produce(topic, BatchWriter.at(0).add(now + 7_200_000, null, null).build()))
        .isEqualTo("INVALID_TIMESTAMP");
    assertThat(produce(topic, BatchWriter.at(0).add(now, null, null).build())).isEqualTo("@0");
    Talk.Topic usual = talk().newTopic(1);
    assertThat(produce(usual, BatchWriter.at(0).add(now + 7_200_000, null, null).build()))
        .isEqualTo("INVALID_TIMESTAMP");
  }

  @Test
  default void topics_that_do_not_exist() {
    Talk.Topic topic = talk().newTopic(1);
    Talk.Topic unknown = new Talk.Topic(Talk.fresh("unknown"), new Uuid(3, 4));
    assertThat(talk().produce(12, Producer.NOBODY, unknown, 0, plain(1)))
        .isEqualTo("UNKNOWN_TOPIC_OR_PARTITION");
    assertThat(talk().produce(13, Producer.NOBODY, unknown, 0, plain(1)))
        .isEqualTo("UNKNOWN_TOPIC_ID");
    assertThat(talk().produce(12, Producer.NOBODY, topic, 9, plain(1)))
        .isEqualTo("UNKNOWN_TOPIC_OR_PARTITION");
    assertThat(talk().produce(13, Producer.NOBODY, topic, 9, plain(1)))
        .isEqualTo("UNKNOWN_TOPIC_OR_PARTITION");
    assertThat(talk().produce(13, Producer.NOBODY, topic, 0, plain(1))).isEqualTo("@0");
  }

  @Test
  default void clients_do_not_write_to_internal_topics() {
    Talk.Topic offsets = new Talk.Topic("__consumer_offsets", Uuid.ZERO);
    assertThat(talk().produce(12, Producer.NOBODY, offsets, 0, plain(1)))
        .isEqualTo("INVALID_TOPIC_EXCEPTION");
    Talk.Topic transactions = new Talk.Topic("__transaction_state", Uuid.ZERO);
    assertThat(talk().produce(12, Producer.NOBODY, transactions, 0, plain(1)))
        .isEqualTo("INVALID_TOPIC_EXCEPTION");
  }

  @Test
  default void a_transactional_batch_in_a_request_without_transactional_id_is_not_authorized() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    Producer anonymous = new Producer(null, producer.id(), producer.epoch());
    ByteBuffer batch = producer.batch(0, 1);
    for (int version : new int[] {9, 12}) {
      assertThat(talk().produce(version, anonymous, topic, 0, batch.duplicate()))
          .isEqualTo("TRANSACTIONAL_ID_AUTHORIZATION_FAILED");
    }
  }

  @Test
  default void an_empty_batch_or_none_at_all() {
    Talk.Topic topic = talk().newTopic(1);
    assertThat(produce(topic, ByteBuffer.allocate(0))).isEqualTo("INVALID_RECORD");
  }
}
