package io.fencepost.samples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** The commands for a running cluster, which must not care whose brokers it has. */
abstract class ClusterCommands {
  abstract String bootstrap();

  private Ran run(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.add("--bootstrap");
    all.add(bootstrap());
    return Ran.of(all.toArray(new String[0]));
  }

  private JsonNode json(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.add("-o");
    all.add("json");
    Ran ran = run(all.toArray(new String[0]));
    assertThat(ran.err()).isEmpty();
    try {
      return new ObjectMapper().readTree(ran.out());
    } catch (IOException e) {
      throw new AssertionError(ran.out(), e);
    }
  }

  private void ok(String... words) {
    Ran ran = run(words);
    assertThat(ran.err()).isEmpty();
    assertThat(ran.code()).isZero();
  }

  private KafkaProducer<String, String> producer(String id) {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", bootstrap(), "transactional.id", id),
        new StringSerializer(),
        new StringSerializer());
  }

  private static JsonNode row(JsonNode rows, String field, String value) {
    for (JsonNode row : rows) {
      if (row.path(field).asText().equals(value)) {
        return row;
      }
    }
    throw new AssertionError("no " + field + " " + value + " in " + rows);
  }

  @Test
  void topics_are_created_shown_changed_and_deleted() {
    ok("topic", "create", "orders", "--partitions", "2", "--set", "retention.ms=1000");
    assertThat(row(json("topic", "list").path("topics"), "topic", "orders").path("partitions"))
        .hasToString("2");
    JsonNode described = json("topic", "describe", "orders");
    assertThat(described.path("settings").path("retention.ms").asText()).isEqualTo("1000");
    assertThat(described.path("partitions")).hasSize(2);
    assertThat(described.path("partitions").get(1).path("end").asLong()).isZero();
    ok("topic", "alter", "orders", "--partitions", "3", "--unset", "retention.ms");
    described = json("topic", "describe", "orders");
    assertThat(described.path("settings").has("retention.ms")).isFalse();
    assertThat(described.path("partitions")).hasSize(3);
    Ran again = run("topic", "create", "orders");
    assertThat(again.code()).isEqualTo(2);
    assertThat(again.err()).contains("orders").contains("already exists").doesNotContain("\tat ");
    ok("topic", "delete", "orders");
    Ran gone = run("topic", "describe", "orders");
    assertThat(gone.code()).isEqualTo(2);
  }

  @Test
  void a_group_shows_its_lag_and_is_moved_only_when_that_is_meant() {
    ok("topic", "create", "letters", "--partitions", "1");
    TopicPartition letters = new TopicPartition("letters", 0);
    try (KafkaProducer<String, String> producer = producer("letters-writer")) {
      producer.initTransactions();
      producer.beginTransaction();
      for (int i = 0; i < 5; i++) {
        var unused = producer.send(new ProducerRecord<>("letters", 0, null, "v" + i));
      }
      producer.commitTransaction();
    }
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap(), "group.id", "readers"),
            new StringDeserializer(),
            new StringDeserializer())) {
      consumer.assign(List.of(letters));
      consumer.commitSync(Map.of(letters, new OffsetAndMetadata(2)));
    }
    JsonNode offset = json("group", "describe", "readers").path("offsets").get(0);
    assertThat(offset.path("committed").asLong()).isEqualTo(2);
    assertThat(offset.path("lag").asLong()).isEqualTo(4);
    assertThat(row(json("group", "list").path("groups"), "group", "readers")).isNotNull();

    Ran dry = run("group", "reset", "readers", "--topic", "letters", "--to-earliest");
    assertThat(dry.out()).contains("nothing was changed");
    assertThat(committed()).isEqualTo(2);
    ok("group", "reset", "readers", "--topic", "letters", "--to-earliest", "--execute");
    assertThat(committed()).isZero();
    ok("group", "reset", "readers", "--topic", "letters", "--shift-by", "3", "--execute");
    assertThat(committed()).isEqualTo(3);
    ok("group", "reset", "readers", "--topic", "letters", "--to-offset", "99", "--execute");
    assertThat(committed()).as("the end of the log").isEqualTo(6);
    ok(
        "group",
        "reset",
        "readers",
        "--topic",
        "letters",
        "--to-time",
        "2000-01-01T00:00:00Z",
        "--execute");
    assertThat(committed()).isZero();
    assertThat(run("group", "reset", "readers", "--topic", "letters").code()).isEqualTo(2);
    ok("group", "delete", "readers");
    assertThat(run("group", "describe", "readers").code()).isEqualTo(2);
  }

  private long committed() {
    return json("group", "describe", "readers").path("offsets").get(0).path("committed").asLong();
  }

  @Test
  void a_blocker_is_named_and_fenced() throws Exception {
    ok("topic", "create", "held", "--partitions", "1");
    assertThat(run("txn", "blockers", "--topic", "held").out())
        .contains("no transaction holds back");
    try (KafkaProducer<String, String> slow = producer("slow-writer")) {
      slow.initTransactions();
      slow.beginTransaction();
      slow.send(new ProducerRecord<>("held", 0, null, "a")).get();
      slow.send(new ProducerRecord<>("held", 0, null, "b")).get();
      JsonNode blocker = json("txn", "blockers", "--topic", "held").path("blockers").get(0);
      assertThat(blocker.path("partition").asText()).isEqualTo("held-0");
      assertThat(blocker.path("stable_offset").asLong()).isZero();
      assertThat(blocker.path("held_back").asLong()).isEqualTo(2);
      assertThat(blocker.path("transactional_id").asText()).isEqualTo("slow-writer");
      assertThat(blocker.path("state").asText()).isEqualTo("Ongoing");
      assertThat(blocker.path("what_to_do").asText()).contains("fencepost txn fence slow-writer");
      assertThat(run("txn", "hanging", "--topic", "held").code()).isZero();
      assertThat(
              row(
                  json("txn", "list", "--state", "Ongoing").path("transactions"),
                  "transactional_id",
                  "slow-writer"))
          .isNotNull();
      assertThat(
              json("txn", "describe", "slow-writer")
                  .path("transactions")
                  .get(0)
                  .path("partitions")
                  .asText())
          .isEqualTo("held-0");
      Ran refused =
          run("txn", "abort", "--topic", "held", "--partition", "0", "--start-offset", "0");
      assertThat(refused.code()).isEqualTo(2);
      assertThat(refused.err()).contains("belongs to slow-writer");
      ok("txn", "fence", "slow-writer");
      assertThat(json("txn", "blockers", "--topic", "held").path("blockers")).isEmpty();
      slow.close(java.time.Duration.ZERO);
    }
    Ran unknown = run("txn", "describe", "nobody");
    assertThat(unknown.code()).isEqualTo(2);
    assertThat(unknown.err()).doesNotContain("\tat ");
  }
}
