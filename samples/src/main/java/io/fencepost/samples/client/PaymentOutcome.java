package io.fencepost.samples.client;

import io.fencepost.samples.dedup.JsonSerde;
import io.fencepost.samples.dedup.PaymentTopics;
import io.fencepost.samples.payment.Charge;
import io.fencepost.samples.payment.Delivery;
import io.fencepost.samples.payment.Outcome;
import io.fencepost.streams.FirstSights;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.Deserializer;

/** What the payment job left on a cluster. */
final class PaymentOutcome {
  private static final Deserializer<Charge> CHARGES = new JsonSerde<>(Charge.class).deserializer();
  private static final Deserializer<Delivery> DELIVERIES =
      new JsonSerde<>(Delivery.class).deserializer();

  private PaymentOutcome() {}

  /** Reads all of its topics, committed records only. */
  static Outcome read(String bootstrap, PaymentTopics topics, String changelog) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    List<String> names =
        List.of(topics.charges(), topics.duplicates(), topics.deadLetters(), changelog);
    for (String name : names) {
      CommittedReader.readRaw(bootstrap, name, records::add);
    }
    return of(records, topics, changelog);
  }

  /** What these records say; others are passed over. */
  static Outcome of(
      List<ConsumerRecord<byte[], byte[]>> records, PaymentTopics topics, String changelog) {
    Outcome output = new Outcome();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      String topic = record.topic();
      if (topic.equals(topics.charges())) {
        output.charge(text(record.key()), CHARGES.deserialize(topic, record.value()));
      } else if (topic.equals(topics.duplicates())) {
        output.duplicate(CHARGES.deserialize(topic, record.value()));
      } else if (topic.equals(topics.deadLetters())) {
        output.deadLetter(DELIVERIES.deserialize(topic, record.value()));
      } else if (topic.equals(changelog)) {
        FirstSights.forEach(record.value(), (key, seenMs) -> output.state(text(key), seenMs));
      }
    }
    return output;
  }

  private static String text(byte[] key) {
    return new String(key, StandardCharsets.UTF_8);
  }
}
