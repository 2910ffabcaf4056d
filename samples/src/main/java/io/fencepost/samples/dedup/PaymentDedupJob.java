package io.fencepost.samples.dedup;

import io.fencepost.samples.payment.Charge;
import io.fencepost.samples.payment.Delivery;
import io.fencepost.samples.payment.Payment;
import io.fencepost.samples.payment.ReadPayment;
import io.fencepost.streams.Job;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * Charges every payment once, however often the gateway delivers it. The record key is the dedup
 * key, so all deliveries of a payment meet in one partition and one store. Charge, duplicate, dead
 * letter, store and input offset share a transaction: after a crash none of them is there without
 * the others.
 */
public final class PaymentDedupJob {
  /** How long a key is remembered: longer than any gateway redelivers. */
  public static final Duration RETENTION = Duration.ofDays(30);

  /** The store of keys that were seen. */
  public static final String STORE = "seen";

  private PaymentDedupJob() {}

  /** The job under its plain names. */
  public static Job define() {
    return define("payment-dedup", PaymentTopics.withSuffix(""));
  }

  /** The job. */
  public static Job define(String name, PaymentTopics topics) {
    Serde<String> keys = Serdes.String();
    Serde<Delivery> deliveries = new JsonSerde<>(Delivery.class);
    Serde<Charge> charges = new JsonSerde<>(Charge.class);

    Job job = Job.named(name).deadLetters(topics.deadLetters());
    job.from(topics.payments(), keys, deliveries)
        .mapValues(PaymentDedupJob::read)
        .deduplicate(
            STORE, RETENTION, duplicates -> duplicates.to(topics.duplicates(), keys, charges))
        .to(topics.charges(), keys, charges);
    return job;
  }

  /** What throws becomes a dead letter with this message. */
  private static Charge read(Delivery delivery) {
    ReadPayment read = ReadPayment.of(delivery);
    Payment payment = read.payment();
    if (payment == null) {
      throw new MalformedRow(delivery, read.problem());
    }
    return Charge.of(payment, delivery);
  }
}
