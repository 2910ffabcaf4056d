package io.fencepost.streams.client;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * No transaction: a cycle ends by waiting for its output, then for its changes of state, then for
 * the commit of its input offsets. In this order a crash repeats output and never loses any: state
 * is never ahead of the output that it knows of.
 */
public final class AtLeastOnceGateway extends KafkaGateway {
  private final Map<TopicPartition, OffsetAndMetadata> staged = new HashMap<>();
  private boolean hasChanges;

  public AtLeastOnceGateway(
      Consumer<byte[], byte[]> consumer,
      Admin admin,
      Supplier<Producer<byte[], byte[]>> producers,
      Seat seat) {
    super(consumer, admin, producers, seat);
  }

  @Override
  public void renewProducer() {
    freshProducer();
  }

  @Override
  public void begin() {
    forgetSent();
    staged.clear();
    hasChanges = false;
  }

  @Override
  public void sendChange(TopicPartition changelog, Change change) {
    if (!hasChanges) {
      hasChanges = true;
      awaitSent();
    }
    super.sendChange(changelog, change);
  }

  @Override
  public void stageOffsets(Map<TopicPartition, Long> offsets) {
    staged.putAll(withMetadata(offsets));
  }

  @Override
  int markers() {
    return 0;
  }

  @Override
  public void commit() {
    awaitSent();
    commitSync(staged);
  }

  private void awaitSent() {
    producer().flush();
    Exception failure = failure();
    if (failure instanceof KafkaException kafka) {
      throw naming(kafka);
    }
    if (failure != null) {
      throw new KafkaException(failure);
    }
  }

  /** What was sent stays sent. */
  @Override
  public boolean abort() {
    return false;
  }
}
