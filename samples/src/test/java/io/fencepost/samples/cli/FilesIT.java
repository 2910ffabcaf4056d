package io.fencepost.samples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The offline commands on the files of a real broker: running, stopped, damaged. */
class FilesIT {
  private static final String LOG = "payments-0/00000000000000000000.log";

  @TempDir Path dir;
  @TempDir Path killed;

  private FencepostServer server() {
    return FencepostServer.start(
        FencepostConfig.builder()
            .dir(dir)
            .set("offsets.topic.num.partitions", "1")
            .set("transaction.state.log.num.partitions", "1")
            .set("num.partitions", "1")
            .build());
  }

  /** Offsets 0 plain, 1 committed, 2 marker, 3 aborted, 4 marker, 5 open. */
  @BeforeEach
  void write() throws Exception {
    try (FencepostServer server = server()) {
      try (KafkaProducer<String, String> plain = producer(server, null);
          KafkaProducer<String, String> clerk = producer(server, "clerk");
          KafkaProducer<String, String> late = producer(server, "late");
          KafkaConsumer<String, String> group =
              new KafkaConsumer<>(
                  Map.of("bootstrap.servers", server.bootstrapServers(), "group.id", "clerks"),
                  new StringDeserializer(),
                  new StringDeserializer())) {
        plain.send(new ProducerRecord<>("payments", "k0", "plain")).get();
        clerk.initTransactions();
        clerk.beginTransaction();
        clerk.send(new ProducerRecord<>("payments", "k1", "kept")).get();
        clerk.sendOffsetsToTransaction(
            Map.of(new TopicPartition("payments", 0), new OffsetAndMetadata(1)),
            group.groupMetadata());
        clerk.commitTransaction();
        clerk.beginTransaction();
        clerk.send(new ProducerRecord<>("payments", "k2", "dropped")).get();
        clerk.abortTransaction();
        late.initTransactions();
        late.beginTransaction();
        late.send(new ProducerRecord<>("payments", "k3", "undecided")).get();
        Ran running = dump("-o", "json", "--kind", "log", "--topic", "payments");
        assertThat(states(running)).as("while the broker runs").hasSize(6);
        Ran refused = Ran.of("check", dir.toString());
        assertThat(refused.code()).isEqualTo(2);
        assertThat(refused.err()).contains("a broker is running in " + dir);
        copyAside();
        late.abortTransaction();
      }
    }
  }

  /** What a killed broker would leave: its files in the middle of the work. */
  private void copyAside() throws IOException {
    try (var found = Files.walk(dir)) {
      for (Path path : found.sorted().toList()) {
        Path to = killed.resolve(dir.relativize(path).toString());
        if (!Files.exists(to)) {
          Files.copy(path, to);
        }
      }
    }
  }

  private static KafkaProducer<String, String> producer(FencepostServer server, String id) {
    Map<String, Object> settings =
        id == null
            ? Map.of("bootstrap.servers", server.bootstrapServers())
            : Map.of("bootstrap.servers", server.bootstrapServers(), "transactional.id", id);
    return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
  }

  private Ran dump(String... options) {
    List<String> words = new ArrayList<>(List.of("dump", dir.toString()));
    words.addAll(List.of(options));
    return Ran.of(words.toArray(new String[0]));
  }

  private static List<JsonNode> lines(Ran ran) {
    assertThat(ran.err()).isEmpty();
    assertThat(ran.code()).isZero();
    List<JsonNode> objects = new ArrayList<>();
    ran.out()
        .lines()
        .forEach(
            line -> {
              try {
                objects.add(new ObjectMapper().readTree(line));
              } catch (IOException e) {
                throw new AssertionError(line, e);
              }
            });
    return objects;
  }

  private static List<String> states(Ran ran) {
    return lines(ran).stream()
        .map(line -> line.path("offset").asLong() + " " + line.path("state").asText())
        .toList();
  }

  @Test
  void records_carry_what_became_of_their_transaction() {
    Path live = dir;
    dir = killed;
    assertThat(states(dump("-o", "json", "--kind", "log", "--topic", "payments")))
        .containsExactly("0 plain", "1 committed", "2 control", "3 aborted", "4 control", "5 open");
    dir = live;
    assertThat(states(dump("-o", "json", "--kind", "log", "--topic", "payments", "--from", "3")))
        .containsExactly("3 aborted", "4 control", "5 aborted", "6 control");
    JsonNode aborted =
        lines(
                dump(
                    "-o",
                    "json",
                    "--kind",
                    "log",
                    "--topic",
                    "payments",
                    "--from",
                    "3",
                    "--to",
                    "3"))
            .get(0);
    assertThat(aborted.path("transactionFirstOffset").asLong()).isEqualTo(3);
    assertThat(aborted.path("transactionMarkerOffset").asLong()).isEqualTo(4);
    assertThat(aborted.path("key").asText()).isEqualTo("k2");
  }

  @Test
  void text_is_coloured_on_a_terminal_only() {
    assertThat(dump("--topic", "payments").out()).doesNotContain("\u001b");
    System.setProperty("picocli.ansi", "true");
    try {
      assertThat(dump("--topic", "payments").out()).contains("\u001b[31m").contains("\u001b[32m");
    } finally {
      System.clearProperty("picocli.ansi");
    }
  }

  @Test
  void every_kind_of_file_is_shown() {
    List<String> kinds =
        lines(dump("-o", "json")).stream()
            .map(line -> line.path("kind").asText())
            .distinct()
            .toList();
    assertThat(kinds)
        .contains(
            "identity",
            "metadata",
            "record",
            "marker",
            "timeindex",
            "txnindex",
            "producer",
            "checkpoint",
            "transactions",
            "committed-offsets",
            "applied")
        .doesNotContain("damage");
    assertThat(dump("--kind", "state").out())
        .contains("transactionalId=clerk")
        .contains("group=clerks topic=payments partition=0 committedOffset=1");
    assertThat(dump("--topic", "__transaction_state", "--kind", "log").out())
        .contains("transactionalId=late");
    assertThat(Ran.of("dump", dir.resolve(LOG.replace(".log", ".txnindex")).toString()).out())
        .contains("firstOffset=3 markerOffset=4");
  }

  @Test
  void groups_of_the_newer_protocol_are_shown_in_the_log_and_in_the_rows() {
    try (FencepostServer server = server();
        KafkaConsumer<String, String> teller =
            new KafkaConsumer<>(
                Map.of(
                    "bootstrap.servers",
                    server.bootstrapServers(),
                    "group.id",
                    "tellers",
                    "group.protocol",
                    "consumer"),
                new StringDeserializer(),
                new StringDeserializer())) {
      teller.subscribe(List.of("payments"));
      Awaitility.await()
          .until(
              () -> {
                teller.poll(Duration.ofMillis(50));
                return teller.assignment().size() == 1;
              });
    }
    assertThat(dump("--kind", "log", "--topic", "__consumer_offsets").out())
        .contains("group=tellers, about=member", "topics=[payments]", "about=progress", "-0]")
        .contains("deleted=true");
    assertThat(dump("--kind", "state").out())
        .contains("consumer-groups group=tellers about=epoch epoch=");
    assertThat(Ran.of("check", dir.toString()).out()).contains("nothing is wrong");
  }

  @Test
  void damage_is_named_and_the_rest_is_shown_and_check_fails() throws Exception {
    assertThat(Ran.of("check", dir.toString()).out()).contains("nothing is wrong");
    assertThat(Ran.of("check", killed.toString()).code()).isZero();
    try (RandomAccessFile file = new RandomAccessFile(dir.resolve(LOG).toFile(), "rw")) {
      file.seek(70);
      file.write(file.read() ^ 0x55);
    }
    Ran shown = dump("--kind", "log", "--topic", "payments");
    assertThat(shown.out())
        .contains("DAMAGE in payments-0/00000000000000000000.log at byte 0: the checksum")
        .contains("k1 = kept");
    Ran checked = Ran.of("check", dir.toString());
    assertThat(checked.code()).isEqualTo(1);
    assertThat(checked.out())
        .contains("wrong  " + LOG + " at byte 0: the checksum does not fit the bytes");
    JsonNode report =
        new ObjectMapper().readTree(Ran.of("check", dir.toString(), "-o", "json").out());
    assertThat(report.path("passes").asBoolean()).isFalse();
    assertThat(report.path("findings").get(0).path("file").asText()).isEqualTo(LOG);
  }

  @Test
  void what_is_no_brokers_file_is_a_usage_error() throws Exception {
    Path other = Files.writeString(dir.getParent().resolve("notes.txt"), "hello");
    assertThat(Ran.of("dump", other.toString()).code()).isEqualTo(2);
    assertThat(Ran.of("dump", dir.resolve("absent").toString()).code()).isEqualTo(2);
    assertThat(Ran.of("check", dir.resolve("absent").toString()).code()).isEqualTo(2);
  }
}
