package io.fencepost.streams.client;

import io.fencepost.streams.testing.JobRule;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** One transaction of the producer per cycle, with the group's offsets in it (KIP-447). */
public final class ExactlyOnceGateway extends KafkaGateway {
  public ExactlyOnceGateway(
      Consumer<byte[], byte[]> consumer,
      Admin admin,
      Supplier<Producer<byte[], byte[]>> producers,
      Seat seat) {
    super(consumer, admin, producers, seat);
  }

  @Override
  public void renewProducer() {
    freshProducer().initTransactions();
  }

  @Override
  public void begin() {
    forgetSent();
    producer().beginTransaction();
  }

  @Override
  public void stageOffsets(Map<TopicPartition, Long> offsets) {
    if (!JobRule.OFFSETS_IN_TRANSACTION.holds()) {
      commitSync(withMetadata(offsets));
      return;
    }
    try {
      producer().sendOffsetsToTransaction(withMetadata(offsets), membership());
    } catch (KafkaException e) {
      throw naming(e);
    }
  }

  @Override
  int markers() {
    return 1;
  }

  @Override
  public void commit() {
    try {
      producer().commitTransaction();
    } catch (KafkaException e) {
      throw naming(e);
    }
  }

  @Override
  public boolean abort() {
    producer().abortTransaction();
    return true;
  }
}
