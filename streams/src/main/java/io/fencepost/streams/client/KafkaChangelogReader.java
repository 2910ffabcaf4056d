package io.fencepost.streams.client;

import io.fencepost.streams.task.ChangelogReader;
import io.fencepost.streams.task.Gateway;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/** {@link ChangelogReader} over a consumer of its own, made when first needed. */
public final class KafkaChangelogReader implements ChangelogReader {
  private final Admin admin;
  private final ChangelogWatch watch;
  private final Supplier<Consumer<byte[], byte[]>> consumers;
  private @Nullable Consumer<byte[], byte[]> consumer;

  /** Refuses to read a changelog that {@code watch} finds to be another topic than before. */
  public KafkaChangelogReader(
      Admin admin, ChangelogWatch watch, Supplier<Consumer<byte[], byte[]>> consumers) {
    this.admin = admin;
    this.watch = watch;
    this.consumers = consumers;
  }

  @Override
  public Map<TopicPartition, Long> startOffsets(Collection<TopicPartition> partitions) {
    watch.require(partitions.stream().map(TopicPartition::topic).toList());
    return offsets(partitions, OffsetSpec.earliest());
  }

  @Override
  public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
    return offsets(partitions, OffsetSpec.latest());
  }

  private Map<TopicPartition, Long> offsets(
      Collection<TopicPartition> partitions, OffsetSpec spec) {
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    partitions.forEach(partition -> asked.put(partition, spec));
    ListOffsetsOptions options = new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED);
    Map<TopicPartition, Long> offsets = new HashMap<>();
    answer(admin.listOffsets(asked, options).all())
        .forEach((partition, info) -> offsets.put(partition, offset(info)));
    return offsets;
  }

  private static long offset(ListOffsetsResultInfo info) {
    return Math.max(0, info.offset());
  }

  static <T> T answer(KafkaFuture<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException kafka ? kafka : new KafkaException(e.getCause());
    }
  }

  @Override
  public void assign(Map<TopicPartition, Long> fromOffsets) {
    if (consumer == null && fromOffsets.isEmpty()) {
      return;
    }
    if (consumer == null) {
      consumer = consumers.get();
    }
    consumer.assign(fromOffsets.keySet());
    fromOffsets.forEach(consumer::seek);
  }

  @Override
  public List<Gateway.Batch> poll(long timeoutMs) {
    return KafkaGateway.batches(consumer().poll(Duration.ofMillis(timeoutMs)));
  }

  @Override
  public long position(TopicPartition partition) {
    return consumer().position(partition);
  }

  private Consumer<byte[], byte[]> consumer() {
    if (consumer == null) {
      throw new IllegalStateException("nothing assigned yet");
    }
    return consumer;
  }

  @Override
  @SuppressWarnings("deprecation") // the successor of close(Duration) is missing in the 3.9 client
  public void close() {
    if (consumer != null) {
      consumer.close(Duration.ZERO);
    }
  }
}
