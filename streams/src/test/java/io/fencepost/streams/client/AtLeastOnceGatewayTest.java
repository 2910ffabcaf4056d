package io.fencepost.streams.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import io.fencepost.streams.task.Gateway;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AtLeastOnceGatewayTest {
  private static final TopicPartition INPUT = new TopicPartition("in", 0);
  private static final TopicPartition CHANGELOG = new TopicPartition("j-seen-changelog", 0);

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
  private final FailingProducer producer = new FailingProducer();
  private final KafkaGateway gateway =
      new AtLeastOnceGateway(consumer, mock(Admin.class), () -> producer, mock(Seat.class));

  @BeforeEach
  void start() {
    consumer.assign(Set.of(INPUT));
    gateway.renewProducer();
    gateway.begin();
  }

  @Test
  void changes_of_state_are_sent_once_the_output_is_acknowledged() {
    send();
    gateway.sendChange(CHANGELOG, new Gateway.Change(bytes("k"), bytes("7"), null));
    assertThat(producer.flushedAt).as("records sent before the first wait").isEqualTo(1);
    gateway.stageOffsets(Map.of(INPUT, 3L));
    gateway.commit();
    assertThat(consumer.committed(Set.of(INPUT)).get(INPUT).offset()).isEqualTo(3);
    assertThat(gateway.changePositions()).containsEntry(CHANGELOG, 1L);
  }

  @Test
  void input_whose_output_was_not_taken_is_not_committed() {
    send();
    producer.failsNextFlush = true;
    gateway.stageOffsets(Map.of(INPUT, 3L));
    assertThatThrownBy(gateway::commit).isInstanceOf(TimeoutException.class);
    assertThat(consumer.committed(Set.of(INPUT)).get(INPUT)).isNull();
  }

  @Test
  void what_was_sent_stays_sent() {
    send();
    assertThat(gateway.abort()).isFalse();
    gateway.renewProducer();
    gateway.begin();
    gateway.stageOffsets(Map.of(INPUT, 0L));
    gateway.commit();
    assertThat(consumer.committed(Set.of(INPUT)).get(INPUT).offset()).isZero();
  }

  private void send() {
    gateway.send(new Gateway.Output("out", bytes("k"), bytes("v"), 7, List.of()));
  }

  /** Answers when flushed, like a real one. */
  private static final class FailingProducer extends MockProducer<byte[], byte[]> {
    private boolean failsNextFlush;
    private int flushedAt = -1;

    FailingProducer() {
      super(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public synchronized void flush() {
      if (flushedAt < 0) {
        flushedAt = history().size();
      }
      if (failsNextFlush) {
        errorNext(new TimeoutException("not taken"));
      } else {
        super.flush();
      }
    }

    @Override
    public void close(java.time.Duration timeout) {}
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
