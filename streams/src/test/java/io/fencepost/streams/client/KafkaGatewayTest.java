package io.fencepost.streams.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.fencepost.streams.task.FailureClass;
import io.fencepost.streams.task.Gateway;
import io.fencepost.streams.task.OutputRefused;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class KafkaGatewayTest {
  private static final TopicPartition INPUT = new TopicPartition("in", 0);
  private static final TopicPartition CHANGELOG = new TopicPartition("j-seen-changelog", 0);

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
  private final List<MockProducer<byte[], byte[]>> producers = new ArrayList<>();
  private final Seat seat = mock(Seat.class);
  private boolean answersAtOnce = true;
  private final KafkaGateway gateway =
      new ExactlyOnceGateway(consumer, mock(Admin.class), this::producer, seat);

  @Test
  void a_new_producer_closes_the_old_one_and_fences() {
    gateway.renewProducer();
    gateway.renewProducer();
    assertThat(producers).hasSize(2);
    assertThat(producers.get(0).closed()).isTrue();
    assertThat(newest().transactionInitialized()).isTrue();
  }

  @Test
  void output_and_changes_and_offsets_go_into_one_transaction() {
    gateway.renewProducer();
    gateway.begin();
    gateway.send(new Gateway.Output("out", bytes("k"), bytes("v"), 7, List.of()));
    gateway.sendChange(CHANGELOG, new Gateway.Change(bytes("k"), bytes("7"), null));
    gateway.stageOffsets(Map.of(INPUT, 3L));
    assertThat(newest().history()).isEmpty();
    gateway.commit();
    assertThat(newest().history()).hasSize(2);
    assertThat(newest().history().get(1).partition()).isZero();
    assertThat(newest().consumerGroupOffsetsHistory()).hasSize(1);
    assertThat(gateway.changePositions()).containsEntry(CHANGELOG, 2L);
  }

  @Test
  void positions_of_an_earlier_transaction_are_forgotten() {
    gateway.renewProducer();
    gateway.begin();
    gateway.sendChange(CHANGELOG, new Gateway.Change(bytes("k"), bytes("7"), null));
    gateway.commit();
    gateway.begin();
    assertThat(gateway.changePositions()).containsEntry(CHANGELOG, -1L);
  }

  @Test
  void a_refused_record_is_named_by_its_topic_and_stays_fatal() {
    answersAtOnce = false;
    gateway.renewProducer();
    MockProducer<byte[], byte[]> producer = newest();
    gateway.begin();
    gateway.send(new Gateway.Output("out", bytes("k"), bytes("v"), 7, List.of()));
    assertThat(producer.errorNext(new RecordTooLargeException("too large"))).isTrue();
    producer.commitTransactionException = new KafkaException("a send failed");
    assertThatThrownBy(gateway::commit)
        .isInstanceOf(OutputRefused.class)
        .hasMessageContaining("topic out")
        .satisfies(e -> assertThat(FailureClass.of(e)).isEqualTo(FailureClass.FATAL));
  }

  @Test
  void after_a_record_that_was_not_taken_the_next_one_fails_at_once() {
    answersAtOnce = false;
    gateway.renewProducer();
    gateway.begin();
    gateway.sendChange(CHANGELOG, new Gateway.Change(bytes("k"), bytes("7"), null));
    assertThat(newest().errorNext(new TimeoutException("partition 0 is missing"))).isTrue();
    assertThatThrownBy(
            () -> gateway.sendChange(CHANGELOG, new Gateway.Change(bytes("l"), bytes("7"), null)))
        .isInstanceOf(TimeoutException.class)
        .hasMessage("partition 0 is missing");
    gateway.renewProducer();
    gateway.begin();
    gateway.sendChange(CHANGELOG, new Gateway.Change(bytes("k"), bytes("7"), null));
  }

  @Test
  void fencing_comes_through_as_fencing() {
    gateway.renewProducer();
    gateway.begin();
    newest().fenceProducer();
    assertThatThrownBy(gateway::commit)
        .isInstanceOf(ProducerFencedException.class)
        .satisfies(e -> assertThat(FailureClass.of(e)).isEqualTo(FailureClass.FENCED));
  }

  @Test
  void where_an_input_begins_is_waited_for_only_for_a_moment() {
    MockConsumer<byte[], byte[]> reassigned =
        new MockConsumer<>("earliest") {
          @Override
          public synchronized long position(TopicPartition partition, Duration timeout) {
            assertThat(timeout).isLessThan(Duration.ofSeconds(1));
            throw new TimeoutException("it is about to be taken away");
          }
        };
    KafkaGateway other =
        new ExactlyOnceGateway(reassigned, mock(Admin.class), this::producer, seat);
    assertThat(other.firstPosition(INPUT)).isNull();
  }

  @Test
  void input_comes_by_partition_and_only_from_what_is_not_paused() {
    List<String> told = new ArrayList<>();
    gateway.subscribe(List.of("in"), null, listener(told));
    consumer.rebalance(List.of(INPUT));
    consumer.updateBeginningOffsets(Map.of(INPUT, 0L));
    consumer.addRecord(new ConsumerRecord<>("in", 0, 0, bytes("k"), bytes("v")));
    gateway.pause(List.of(INPUT));
    assertThat(gateway.poll(0)).isEmpty();
    gateway.resume(List.of(INPUT));
    List<Gateway.Batch> batches = gateway.poll(0);
    assertThat(batches).hasSize(1);
    assertThat(batches.get(0).partition()).isEqualTo(INPUT);
    assertThat(gateway.position(INPUT)).isEqualTo(1);
    assertThat(gateway.committed(List.of(INPUT))).isEmpty();
    assertThat(told).contains("assigned [in-0]");
  }

  @Test
  void closing_closes_both_clients() {
    gateway.renewProducer();
    gateway.close(100, false);
    assertThat(consumer.closed()).isTrue();
    assertThat(newest().closed()).isTrue();
  }

  @Test
  void it_leaves_the_group_for_good_when_it_closes_unless_another_has_its_place() {
    gateway.close(100, false);
    verify(seat).leave(anyLong());
  }

  @Test
  void a_replaced_worker_leaves_the_place_to_its_successor() {
    gateway.close(100, true);
    assertThat(consumer.closed()).isTrue();
    verify(seat, never()).leave(anyLong());
  }

  @Test
  void an_heir_has_the_work_shared_anew_once_it_has_settled() {
    when(seat.take()).thenReturn(true);
    gateway.subscribe(List.of("in"), null, listener(new ArrayList<>()));
    gateway.poll(0);
    assertThat(consumer.shouldRebalance()).isFalse();
    consumer.rebalance(List.of(INPUT));
    consumer.updateBeginningOffsets(Map.of(INPUT, 0L));
    await()
        .until(
            () -> {
              gateway.poll(0);
              return consumer.shouldRebalance();
            });
    consumer.resetShouldRebalance();
    gateway.poll(0);
    assertThat(consumer.shouldRebalance()).isFalse();
  }

  private static Gateway.Assignment listener(List<String> told) {
    return new Gateway.Assignment() {
      @Override
      public void assigned(Collection<TopicPartition> partitions) {
        told.add("assigned " + partitions);
      }

      @Override
      public void revoked(Collection<TopicPartition> partitions) {
        told.add("revoked " + partitions);
      }

      @Override
      public void lost(Collection<TopicPartition> partitions) {
        told.add("lost " + partitions);
      }
    };
  }

  private MockProducer<byte[], byte[]> producer() {
    producers.add(
        new MockProducer<>(
            answersAtOnce, null, new ByteArraySerializer(), new ByteArraySerializer()));
    return newest();
  }

  private MockProducer<byte[], byte[]> newest() {
    return producers.get(producers.size() - 1);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }
}
