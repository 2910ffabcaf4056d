package io.fencepost.testkit.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka Streams with exactly_once_v2. */
interface StreamsBehaviour extends Peers {
  int PAYMENTS = 600;
  int DELIVERIES = 1_000;
  int DELIVERIES_PER_DEATH = 700;
  long MINUTE_MS = 60_000;

  @Test
  default void streams_charge_and_count_once_though_threads_die_and_the_application_is_replaced(
      @TempDir Path directory) throws Exception {
    PaymentsTopology topology = new PaymentsTopology(DELIVERIES_PER_DEATH);
    createTopics();
    Map<String, String> expected = new TreeMap<>();
    List<ProducerRecord<String, String>> deliveries = deliveries(expected);
    try (Records audit = new Records(bootstrap(), "audit");
        Records charges = new Records(bootstrap(), "charges");
        Records counts = new Records(bootstrap(), "counts")) {
      send(deliveries.subList(0, DELIVERIES / 2));
      try (KafkaStreams first = application(topology, directory)) {
        first.start();
        // The threads that die are ours.
        await().dontCatchUncaughtExceptions().atMost(LIMIT).until(() -> charges.all().size() > 100);
      }
      send(deliveries.subList(DELIVERIES / 2, DELIVERIES));
      try (KafkaStreams second = application(topology, directory)) {
        second.start();
        await()
            .dontCatchUncaughtExceptions()
            .atMost(LIMIT)
            .until(() -> audit.all().size() >= DELIVERIES && counts.latest().equals(expected));
      }
      assertThat(audit.all()).hasSize(DELIVERIES);
      assertThat(charges.all().stream().map(ConsumerRecord::key))
          .doesNotHaveDuplicates()
          .hasSize(PAYMENTS);
      assertThat(counts.latest()).isEqualTo(expected);
    }
    assertThat(topology.deaths()).isPositive();
  }

  private KafkaStreams application(PaymentsTopology topology, Path directory) {
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "payments-app");
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap());
    settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    settings.put(StreamsConfig.STATE_DIR_CONFIG, directory.toString());
    settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
    settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 50);
    settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    settings.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, 1);
    settings.put("auto.offset.reset", "earliest");
    settings.put("max.poll.records", 50);
    // A stream thread never leaves its group: it is missed when its session ends.
    settings.put("session.timeout.ms", 2_000);
    settings.put("heartbeat.interval.ms", 300);
    KafkaStreams streams = new KafkaStreams(topology.build(), settings);
    streams.setUncaughtExceptionHandler(failure -> StreamThreadExceptionResponse.REPLACE_THREAD);
    return streams;
  }

  private void createTopics() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap()))) {
      admin
          .createTopics(
              List.of(
                  new NewTopic("payments", 2, (short) 1),
                  new NewTopic("audit", 2, (short) 1),
                  new NewTopic("charges", 2, (short) 1),
                  new NewTopic("counts", 2, (short) 1)))
          .all()
          .get();
    }
  }

  /** Every payment at least once; the counts to expect are by account and minute of the payment. */
  private static List<ProducerRecord<String, String>> deliveries(Map<String, String> expected) {
    // Not before what a broker keeps: it would be gone before the test has ended.
    long firstMinute = System.currentTimeMillis() / MINUTE_MS - 10;
    Random random = new Random(7);
    Map<String, Integer> counts = new TreeMap<>();
    List<ProducerRecord<String, String>> deliveries = new ArrayList<>();
    for (int i = 0; i < DELIVERIES; i++) {
      int payment = i < PAYMENTS ? i : random.nextInt(PAYMENTS);
      String account = "account-" + payment % 3;
      long timestamp = (firstMinute + payment / 200) * MINUTE_MS;
      deliveries.add(
          new ProducerRecord<>("payments", null, timestamp, "payment-" + payment, account));
      if (i < PAYMENTS) {
        counts.merge(account + "@" + timestamp, 1, Integer::sum);
      }
    }
    counts.forEach((key, count) -> expected.put(key, count.toString()));
    return deliveries;
  }

  private void send(List<ProducerRecord<String, String>> records) throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap()),
            new StringSerializer(),
            new StringSerializer())) {
      List<Future<RecordMetadata>> sent = records.stream().map(producer::send).toList();
      for (Future<RecordMetadata> each : sent) {
        each.get();
      }
    }
  }
}
