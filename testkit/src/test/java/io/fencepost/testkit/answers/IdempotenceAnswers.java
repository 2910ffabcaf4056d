package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.message.ProduceRequest;
import io.fencepost.broker.wire.message.ProduceResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Sequences, epochs and duplicates of producers without a transaction. */
interface IdempotenceAnswers extends Asked {
  int V = 9;

  @Test
  default void a_retry_of_one_of_the_last_five_batches_gives_its_offset_and_appends_nothing() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newIdempotent();
    for (int i = 0; i < 6; i++) {
      assertThat(talk().produce(V, producer, topic, 2 * i, 2)).isEqualTo("@" + 2 * i);
    }
    for (int i = 1; i < 6; i++) {
      assertThat(talk().produce(V, producer, topic, 2 * i, 2)).isEqualTo("@" + 2 * i);
    }
    assertThat(talk().produce(V, producer, topic, 0, 2)).isEqualTo("OUT_OF_ORDER_SEQUENCE_NUMBER");
    assertThat(talk().end(topic, 0)).isEqualTo(12);
  }

  @Test
  default void a_duplicate_where_producers_set_the_time() {
    Talk.Topic topic = talk().newTopic(1);
    long[] times = appendTimesOfTwoTries(topic);
    assertThat(times[0]).isEqualTo(-1);
    assertThat(times[1] > 0).isEqualTo(isTimeOfADuplicateTold());
  }

  default boolean isTimeOfADuplicateTold() {
    return true;
  }

  @Test
  default void a_duplicate_tells_the_original_append_time_where_the_log_sets_it() {
    Talk.Topic topic = talk().newTopic(1, "message.timestamp.type", "LogAppendTime");
    long[] times = appendTimesOfTwoTries(topic);
    assertThat(times[0]).isPositive();
    assertThat(times[1]).isEqualTo(times[0]);
  }

  private long[] appendTimesOfTwoTries(Talk.Topic topic) {
    Producer producer = txn().newIdempotent();
    long[] times = new long[2];
    for (int i = 0; i < 2; i++) {
      ProduceRequest request = Talk.produceRequest(V, producer, topic, 0, producer.batch(0, 1));
      times[i] = talk().produced(V, request).logAppendTimeMs;
    }
    return times;
  }

  @Test
  default void a_part_of_a_batch_or_an_overlap_is_out_of_order() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newIdempotent();
    talk().produce(V, producer, topic, 0, 4);
    assertThat(talk().produce(V, producer, topic, 0, 2)).isEqualTo("OUT_OF_ORDER_SEQUENCE_NUMBER");
    assertThat(talk().produce(V, producer, topic, 2, 2)).isEqualTo("OUT_OF_ORDER_SEQUENCE_NUMBER");
    assertThat(talk().produce(V, producer, topic, 2, 4)).isEqualTo("OUT_OF_ORDER_SEQUENCE_NUMBER");
    assertThat(talk().produce(V, producer, topic, 9, 1)).isEqualTo("OUT_OF_ORDER_SEQUENCE_NUMBER");
    assertThat(talk().produce(V, producer, topic, 4, 1)).isEqualTo("@4");
  }

  @Test
  default void a_producer_that_the_partition_does_not_know_may_begin_anywhere() {
    Talk.Topic topic = talk().newTopic(1);
    assertThat(talk().produce(V, txn().newIdempotent(), topic, 77, 1)).isEqualTo("@0");
  }

  @Test
  default void a_new_epoch_begins_at_sequence_0_and_need_not_be_announced() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newIdempotent();
    talk().produce(V, producer, topic, 0, 1);
    Producer next = producer.inEpoch(3);
    assertThat(talk().produce(V, next, topic, 1, 1)).isEqualTo("OUT_OF_ORDER_SEQUENCE_NUMBER");
    assertThat(talk().produce(V, next, topic, 0, 1)).isEqualTo("@1");
  }

  @Test
  default void a_stale_epoch_is_refused_even_for_an_exact_retry() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newIdempotent();
    talk().produce(V, producer, topic, 0, 1);
    talk().produce(V, producer.inEpoch(1), topic, 0, 1);
    assertThat(talk().produce(V, producer, topic, 0, 1)).isEqualTo("INVALID_PRODUCER_EPOCH");
    assertThat(talk().produce(V, producer, topic, 1, 1)).isEqualTo("INVALID_PRODUCER_EPOCH");
  }

  @Test
  default void sequences_wrap_to_0_and_a_batch_across_the_wrap_is_deduplicated() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newIdempotent();
    int max = Integer.MAX_VALUE;
    assertThat(talk().produce(V, producer, topic, max - 2, 2)).isEqualTo("@0");
    assertThat(talk().produce(V, producer, topic, max, 3)).isEqualTo("@2");
    assertThat(talk().produce(V, producer, topic, max, 3)).isEqualTo("@2");
    assertThat(talk().produce(V, producer, topic, 2, 1)).isEqualTo("@5");
    Talk.Topic other = talk().newTopic(1);
    assertThat(talk().produce(V, producer, other, max, 1)).isEqualTo("@0");
    assertThat(talk().produce(V, producer, other, 0, 1)).isEqualTo("@1");
  }

  @Test
  default void acks_1_is_enough_for_an_idempotent_batch() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newIdempotent();
    ProduceRequest request = Talk.produceRequest(V, producer, topic, 0, producer.batch(0, 1));
    request.acks = 1;
    assertThat(Talk.text(talk().produced(V, request))).isEqualTo("@0");
  }

  @Test
  default void a_producer_id_without_sequence_is_invalid() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newIdempotent();
    assertThat(talk().produce(V, producer, topic, -1, 1)).isEqualTo("INVALID_RECORD");
  }

  /** Kafka takes this nonsense. */
  default String answerToAProducerIdWithoutEpoch() {
    return "@0";
  }

  @Test
  default void a_producer_id_without_epoch() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newIdempotent().inEpoch(-1);
    assertThat(talk().produce(V, producer, topic, 0, 1))
        .isEqualTo(answerToAProducerIdWithoutEpoch());
  }

  @Test
  default void each_init_without_transactional_id_gives_a_new_producer_whatever_the_timeout() {
    assertThat(txn().initAnswer(4, null, -5, -1, -1).errorCode).isZero();
    assertThat(txn().initAnswer(4, null, Integer.MAX_VALUE, -1, -1).errorCode).isZero();
    assertThat(txn().newIdempotent().id()).isNotEqualTo(txn().newIdempotent().id());
  }

  @Test
  default void several_batches_in_a_request_are_judged_apart() {
    Talk.Topic topic = talk().newTopic(4);
    Producer producer = txn().newIdempotent();
    for (int partition = 0; partition < 2; partition++) {
      assertThat(talk().produce(V, producer, topic, partition, producer.batch(0, 1)))
          .isEqualTo("@0");
    }
    ByteBuffer damaged = producer.batch(0, 1);
    damaged.putInt(BatchAnswers.CRC, 1);
    ProduceRequest request = Talk.produceRequest(V, producer, topic, 0, producer.batch(0, 1));
    List<ByteBuffer> others = List.of(producer.batch(5, 1), producer.batch(0, 2), damaged);
    for (int i = 0; i < others.size(); i++) {
      ProduceRequest.PartitionProduceData data = new ProduceRequest.PartitionProduceData();
      data.index = i + 1;
      data.records = Bytes.of(others.get(i));
      request.topicData.get(0).partitionData.add(data);
    }
    Map<Integer, String> answers = new TreeMap<>();
    talk()
        .ask(ApiKey.PRODUCE, V, request, ProduceResponse.class)
        .responses
        .get(0)
        .partitionResponses
        .forEach(answer -> answers.put(answer.index, Talk.text(answer)));
    assertThat(answers.values())
        .containsExactly("@0", "OUT_OF_ORDER_SEQUENCE_NUMBER", "@0", "CORRUPT_MESSAGE");
    assertThat(talk().end(topic, 0)).isEqualTo(1);
    assertThat(talk().end(topic, 1)).isEqualTo(1);
    assertThat(talk().end(topic, 2)).isEqualTo(2);
    assertThat(talk().end(topic, 3)).isZero();
    assertThat(talk().produce(V, producer, topic, 1, producer.batch(1, 1))).isEqualTo("@1");
    assertThat(talk().produce(V, producer, topic, 3, producer.batch(0, 1))).isEqualTo("@0");
  }

  @Test
  default void a_refused_batch_changes_no_state() {
    Talk.Topic topic = talk().newTopic(1, "max.message.bytes", "200");
    Producer producer = txn().newIdempotent();
    assertThat(talk().produce(V, producer, topic, 0, 100)).isEqualTo("MESSAGE_TOO_LARGE");
    assertThat(talk().produce(V, producer, topic, 0, 1)).isEqualTo("@0");
    BatchWriter large = BatchWriter.at(0).producer(producer.id(), (short) 1, 0);
    assertThat(talk().produce(V, producer, topic, 0, Producer.fill(large, 100)))
        .isEqualTo("MESSAGE_TOO_LARGE");
    assertThat(talk().produce(V, producer, topic, 1, 1)).isEqualTo("@1");
  }
}
