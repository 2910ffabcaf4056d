package io.fencepost.txn.main;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class FencepostMetersIT {
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final FencepostMeters meters = FencepostMeters.on(registry);

  private static KafkaProducer<String, String> producer(
      FencepostServer server, String id, int timeoutMs) {
    return new KafkaProducer<>(
        Map.of(
            "bootstrap.servers",
            server.bootstrapServers(),
            "transactional.id",
            id,
            "transaction.timeout.ms",
            timeoutMs),
        new StringSerializer(),
        new StringSerializer());
  }

  private double ended(String outcome) {
    return registry.get("fencepost.transactions.ended").tag("outcome", outcome).counter().count();
  }

  private double gauge(String name) {
    meters.refresh();
    return registry.get(name).gauge().value();
  }

  private double lag() {
    meters.refresh();
    return registry
        .get("fencepost.partition.stable.lag")
        .tags("topic", "orders", "partition", "0")
        .gauge()
        .value();
  }

  private double stableGroups() {
    meters.refresh();
    return registry.get("fencepost.groups").tag("state", "Stable").gauge().value();
  }

  private static KafkaConsumer<String, String> consumer(FencepostServer server, String protocol) {
    return new KafkaConsumer<>(
        Map.of(
            "bootstrap.servers",
            server.bootstrapServers(),
            "group.protocol",
            protocol,
            "group.id",
            "of-" + protocol),
        new StringDeserializer(),
        new StringDeserializer());
  }

  private void joins(KafkaConsumer<String, String> consumer, int stableGroups) {
    consumer.subscribe(List.of("orders"));
    Awaitility.await()
        .untilAsserted(
            () -> {
              consumer.poll(Duration.ofMillis(50));
              assertThat(stableGroups()).isEqualTo(stableGroups);
            });
  }

  @Test
  void what_happens_is_counted_and_the_page_lists_every_meter() throws Exception {
    FencepostConfig config =
        FencepostConfig.builder()
            .meters(meters)
            .set("flush", "group")
            .set("transaction.abort.timed.out.transaction.cleanup.interval.ms", "100")
            .build();
    try (FencepostServer server = FencepostServer.start(config)) {
      try (KafkaProducer<String, String> first = producer(server, "a", 60_000);
          KafkaProducer<String, String> late = producer(server, "b", 500)) {
        first.initTransactions();
        first.beginTransaction();
        first.send(new ProducerRecord<>("orders", 0, null, "kept")).get();
        first.commitTransaction();
        first.beginTransaction();
        first.send(new ProducerRecord<>("orders", 0, null, "dropped")).get();
        first.abortTransaction();
        assertThat(ended("committed")).isEqualTo(1);
        assertThat(ended("aborted")).isEqualTo(1);
        assertThat(lag()).isZero();

        first.beginTransaction();
        first.send(new ProducerRecord<>("orders", 0, null, "open")).get();
        assertThat(lag()).isEqualTo(1);
        assertThat(gauge("fencepost.transactions.open")).isEqualTo(1);
        assertThat(gauge("fencepost.producer.ids")).isPositive();
        Awaitility.await()
            .untilAsserted(
                () -> assertThat(gauge("fencepost.transactions.oldest.age")).isPositive());
        try (KafkaProducer<String, String> second = producer(server, "a", 60_000)) {
          second.initTransactions();
        }
        assertThat(ended("fenced")).isEqualTo(1);
        assertThat(gauge("fencepost.transactions.open")).isZero();
        assertThat(gauge("fencepost.transactions.oldest.age")).isZero();
        assertThat(lag()).isZero();

        late.initTransactions();
        late.beginTransaction();
        late.send(new ProducerRecord<>("orders", 0, null, "late")).get();
        Awaitility.await().untilAsserted(() -> assertThat(ended("timed_out")).isEqualTo(1));
      }
      assertThat(stableGroups()).isZero();
      try (KafkaConsumer<String, String> classic = consumer(server, "classic");
          KafkaConsumer<String, String> newer = consumer(server, "consumer")) {
        joins(classic, 1);
        joins(newer, 2);
      }
      Awaitility.await().untilAsserted(() -> assertThat(stableGroups()).isZero());
      assertThat(registry.get("fencepost.log.append").timer().count()).isPositive();
      assertThat(registry.get("fencepost.log.force").timer().count()).isPositive();
      assertThat(registry.get("fencepost.requests").tag("api", "Produce").timer().count())
          .isGreaterThanOrEqualTo(4);
      assertThat(names()).isEqualTo(documented());
    }
    assertThat(registry.find("fencepost.partition.stable.lag").gauges())
        .as("a stopped server has no partitions")
        .isEmpty();
  }

  private TreeSet<String> names() {
    return registry.getMeters().stream()
        .map(Meter::getId)
        .map(Meter.Id::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Those of a broker; a job and a fault plan have their own. */
  private static TreeSet<String> documented() throws Exception {
    return Pattern.compile(
            "^\\| `(fencepost\\.(?!streams\\.|faults\\.)[a-z.]+)` \\|", Pattern.MULTILINE)
        .matcher(Files.readString(Path.of("..", "docs", "metrics.md")))
        .results()
        .map((MatchResult found) -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
