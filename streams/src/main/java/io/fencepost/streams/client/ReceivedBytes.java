package io.fencepost.streams.client;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.Metric;
import org.jspecify.annotations.Nullable;

/** How many bytes brokers have sent to a consumer, as it counts them itself. */
final class ReceivedBytes {
  private final Consumer<?, ?> consumer;
  private @Nullable Metric total;

  ReceivedBytes(Consumer<?, ?> consumer) {
    this.consumer = consumer;
  }

  /** -1 if this client does not count them. */
  long total() {
    Metric metric = total == null ? find() : total;
    total = metric;
    Object value = metric == null ? null : metric.metricValue();
    return value instanceof Number bytes ? bytes.longValue() : -1;
  }

  private @Nullable Metric find() {
    for (Metric metric : consumer.metrics().values()) {
      boolean isOfClient = metric.metricName().group().equals("consumer-metrics");
      if (isOfClient && metric.metricName().name().equals("incoming-byte-total")) {
        return metric;
      }
    }
    return null;
  }
}
