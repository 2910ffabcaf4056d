package io.fencepost.samples.client;

import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;

/** Sends many records without waiting for each, and does not forget one that failed. */
public final class Sender<K, V> {
  private final KafkaProducer<K, V> producer;
  private final AtomicReference<Exception> failure = new AtomicReference<>();

  /** Sends through this producer; the caller closes it. */
  public Sender(KafkaProducer<K, V> producer) {
    this.producer = producer;
  }

  /** Sends a record, unless an earlier one has failed. */
  @SuppressWarnings("FutureReturnValueIgnored") // the callback sees all that the future would
  public void send(ProducerRecord<K, V> record) {
    throwFailure();
    producer.send(
        record,
        (metadata, e) -> {
          if (e != null) {
            failure.compareAndSet(null, e);
          }
        });
  }

  /** Waits until every record is acknowledged. */
  public void awaitAll() {
    producer.flush();
    throwFailure();
  }

  private void throwFailure() {
    Exception e = failure.get();
    if (e != null) {
      throw new KafkaException("a record could not be published: " + e.getMessage(), e);
    }
  }
}
