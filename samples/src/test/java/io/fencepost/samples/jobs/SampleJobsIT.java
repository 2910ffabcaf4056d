package io.fencepost.samples.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencepost.samples.client.EmbeddedBroker;
import io.fencepost.samples.dedup.JsonSerde;
import io.fencepost.samples.jobs.TransferLedger.Entry;
import io.fencepost.samples.jobs.TransferLedger.Transfer;
import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobHandle;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sample jobs on an embedded broker. */
class SampleJobsIT {
  private static final Duration SOON = Duration.ofSeconds(90);
  private static final int TRANSFERS = 500;
  private static EmbeddedBroker broker;

  @TempDir Path stateDir;

  @BeforeAll
  static void start() {
    broker = EmbeddedBroker.start(0, null, new TreeMap<>(Map.of("num.partitions", "3")));
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  @Test
  void the_ledger_balances_whichever_instance_books_a_transfer() throws Exception {
    Job job = TransferLedger.define();
    SampleMain.createTopics(job, config("one"));
    try (JobHandle first = job.start(config("one"))) {
      send(0, TRANSFERS);
      await().atMost(SOON).until(() -> first.counts().records() >= TRANSFERS);
      try (JobHandle second = job.start(config("two"))) {
        await()
            .atMost(SOON)
            .until(
                () -> {
                  send(0, TRANSFERS); // all of them once more
                  return second.counts().records() > 0;
                });
      }
    }
    Map<String, BigDecimal> sums = new TreeMap<>();
    Map<String, Integer> sides = new TreeMap<>();
    for (Entry entry : ledger()) {
      sums.merge(entry.transfer(), entry.amount(), BigDecimal::add);
      sides.merge(entry.transfer(), 1, Integer::sum);
    }
    assertThat(sides).hasSize(TRANSFERS);
    assertThat(sides.values()).containsOnly(2);
    assertThat(sums.values()).allMatch(sum -> sum.signum() == 0);
  }

  private JobConfig config(String instance) {
    return JobConfig.of(
        Map.of(
            "bootstrap.servers",
            broker.bootstrapServers(),
            "state.dir",
            stateDir.resolve(instance).toString()));
  }

  private static void send(int from, int to) {
    var serde = new JsonSerde<>(Transfer.class);
    try (KafkaProducer<String, Transfer> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers()),
            new StringSerializer(),
            serde.serializer())) {
      for (int i = from; i < to; i++) {
        Transfer transfer =
            new Transfer("account-" + i % 7, "account-" + (i + 1) % 7, new BigDecimal(i + ".25"));
        var unused = producer.send(new ProducerRecord<>("transfers", "t" + i, transfer));
      }
      producer.flush();
    }
  }

  private static List<Entry> ledger() {
    List<Entry> entries = new ArrayList<>();
    Map<String, Object> settings =
        Map.of("bootstrap.servers", broker.bootstrapServers(), "isolation.level", "read_committed");
    try (KafkaConsumer<String, Entry> consumer =
        new KafkaConsumer<>(
            settings, new StringDeserializer(), new JsonSerde<>(Entry.class).deserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor("ledger").stream()
              .map(info -> new TopicPartition("ledger", info.partition()))
              .toList();
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      while (ends.entrySet().stream().anyMatch(e -> consumer.position(e.getKey()) < e.getValue())) {
        consumer.poll(Duration.ofMillis(100)).forEach(record -> entries.add(record.value()));
      }
    }
    return entries;
  }
}
