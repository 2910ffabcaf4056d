package io.fencepost.samples.client;

import io.fencepost.samples.dedup.JsonSerde;
import io.fencepost.samples.payment.DedupKey;
import io.fencepost.samples.payment.Delivery;
import io.fencepost.samples.payment.InputFold;
import io.fencepost.samples.payment.Payment;
import java.util.Iterator;
import java.util.Properties;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Publishes deliveries under their dedup key, so that all deliveries of a payment meet in one
 * partition, in order; and folds them on the way. A row that is no payment has no key and goes to
 * any partition.
 */
public final class PaymentPublisher {
  private static final int REPORT_EVERY = 1_000;

  private PaymentPublisher() {}

  /** Publishes all and waits until every one is acknowledged; tells {@code progress} the count. */
  public static InputFold publish(
      String bootstrap,
      String topic,
      Iterator<Delivery> deliveries,
      DedupKey dedupKey,
      LongConsumer progress) {
    Properties settings = Clients.producerSettings(bootstrap);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, "5");
    settings.put(ProducerConfig.BATCH_SIZE_CONFIG, "65536");
    InputFold fold = new InputFold(dedupKey);
    try (KafkaProducer<String, Delivery> producer =
        new KafkaProducer<>(
            settings, new StringSerializer(), new JsonSerde<>(Delivery.class).serializer())) {
      Sender<String, Delivery> sender = new Sender<>(producer);
      while (deliveries.hasNext()) {
        Delivery delivery = deliveries.next();
        long sentAt = System.currentTimeMillis();
        Payment payment = fold.add(delivery, sentAt).payment();
        String key = payment == null ? null : dedupKey.of(payment);
        sender.send(new ProducerRecord<>(topic, null, sentAt, key, delivery));
        if (fold.deliveries() % REPORT_EVERY == 0) {
          progress.accept(fold.deliveries());
        }
      }
      sender.awaitAll();
    }
    return fold;
  }
}
