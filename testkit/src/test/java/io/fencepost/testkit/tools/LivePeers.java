package io.fencepost.testkit.tools;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Somebody for the tools to look at, on the topic "held": a member of group "live", and a producer
 * "open" with a transaction that stays open.
 */
final class LivePeers implements AutoCloseable {
  private final KafkaConsumer<String, String> member;
  private final KafkaProducer<String, String> producer;
  private final Thread poller;
  private volatile boolean closing;

  LivePeers(String bootstrapServers) throws ExecutionException, InterruptedException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
      admin
          .createTopics(
              List.of(new NewTopic("held", 2, (short) 1), new NewTopic("perf", 1, (short) 1)))
          .all()
          .get();
    }
    member =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers", bootstrapServers,
                "group.id", "live",
                "client.id", "member",
                "auto.offset.reset", "earliest"),
            new StringDeserializer(),
            new StringDeserializer());
    producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers", bootstrapServers,
                "transactional.id", "open",
                "transaction.timeout.ms", "600000"),
            new StringSerializer(),
            new StringSerializer());
    producer.initTransactions();
    producer.beginTransaction();
    producer.send(new ProducerRecord<>("held", 0, "k", "v")).get();
    member.subscribe(List.of("held"));
    while (member.assignment().isEmpty()) {
      member.poll(Duration.ofMillis(100));
    }
    member.commitSync();
    poller = new Thread(this::poll, "live-member");
    poller.setDaemon(true);
    poller.start();
  }

  private void poll() {
    while (!closing) {
      member.poll(Duration.ofMillis(100));
    }
    member.close();
  }

  @Override
  public void close() {
    closing = true;
    try {
      poller.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    producer.close(Duration.ZERO);
  }
}
