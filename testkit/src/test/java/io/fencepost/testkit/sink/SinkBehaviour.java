package io.fencepost.testkit.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencepost.streams.JobConfig;
import io.fencepost.streams.Message;
import io.fencepost.streams.StopReason;
import io.fencepost.streams.jdbc.JdbcSink;
import io.fencepost.streams.jdbc.RowWriter;
import io.fencepost.streams.jdbc.SinkHandle;
import io.fencepost.streams.jdbc.SinkHealth;
import io.fencepost.testkit.brokers.TestBroker;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What the sink does on any database; each subclass starts one. Topics, tables and groups differ
 * per test by prefix. Each row is the payment of its message, which is there once or an error.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SinkBehaviour {
  @RegisterExtension
  static final TestBroker BROKER =
      TestBroker.fencepost(Map.of("group.min.session.timeout.ms", "1000"));

  private static final Duration SOON = Duration.ofSeconds(90);

  abstract TestDatabase database();

  @AfterAll
  void delete() throws Exception {
    database().delete();
  }

  @Test
  void each_committed_message_is_one_row_while_sinks_come_and_go() throws Exception {
    prepare("a");
    send("a", 0, 1_000, true);
    send("a", 5_000, 5_100, false);
    JdbcSink<String, String> sink = sink("a", database().source(), SinkBehaviour::insert);
    try (SinkHandle first = sink.start(config())) {
      await().atMost(SOON).until(() -> first.counts().rows() >= 1_000);
      try (SinkHandle second = sink.start(config())) {
        int[] next = {1_000};
        await()
            .atMost(SOON)
            .until(
                () -> {
                  send("a", next[0], next[0] += 50, true);
                  return second.counts().rows() > 0;
                });
        await().atMost(SOON).until(() -> count("a") == next[0]);
        assertThat(second.stop(Duration.ofSeconds(10)).isClean()).isTrue();
      }
      assertThat(first.isRunning()).isTrue();
    }
    assertThat(offsets("a")).isGreaterThanOrEqualTo(1_000);
  }

  @Test
  void a_sink_that_hangs_until_another_has_its_partitions_stores_nothing_twice() throws Exception {
    prepare("b");
    send("b", 0, 200, true);
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    AtomicBoolean isFirst = new AtomicBoolean(true);
    RowWriter<String, String> hanging =
        (connection, message) -> {
          if (isFirst.getAndSet(false)) {
            hangs.countDown();
            assertThat(goesOn.await(90, TimeUnit.SECONDS)).isTrue();
          }
          insert(connection, message);
        };
    JobConfig shortPatience = config().with("consumer.max.poll.interval.ms", 1_500);
    try (SinkHandle zombie = sink("b", database().source(), hanging).start(shortPatience)) {
      assertThat(hangs.await(90, TimeUnit.SECONDS)).isTrue();
      JdbcSink<String, String> sink = sink("b", database().source(), SinkBehaviour::insert);
      try (SinkHandle owner = sink.start(config())) {
        await().atMost(SOON).until(() -> count("b") == 200);
        goesOn.countDown();
        await().atMost(SOON).until(() -> zombie.counts().fences() > 0);
        send("b", 200, 300, true);
        await().atMost(SOON).until(() -> count("b") == 300);
        assertThat(owner.counts().rows() + zombie.counts().rows()).isEqualTo(300);
      }
    }
  }

  @Test
  void a_process_killed_in_the_middle_loses_and_repeats_nothing() throws Exception {
    prepare("c");
    int rows = 3_000;
    send("c", 0, rows, true);
    Process child = SinkProcess.start(BROKER.bootstrapServers(), "c", database().url());
    try {
      await().atMost(SOON).until(() -> count("c") > 100);
    } finally {
      child.destroyForcibly().onExit().join();
    }
    assertThat(count("c")).as("killed in the middle").isLessThan(rows);
    JdbcSink<String, String> sink = sink("c", database().source(), SinkBehaviour::insert);
    try (SinkHandle handle = sink.start(config())) {
      await()
          .atMost(SOON)
          .until(
              () -> {
                assertThat(handle.isRunning()).as("%s", handle.health()).isTrue();
                return count("c") == rows;
              });
    }
  }

  @Test
  void a_database_that_is_down_for_a_while_is_waited_for() throws Exception {
    prepare("d");
    send("d", 0, 100, true);
    JdbcSink<String, String> sink = sink("d", database().source(), SinkBehaviour::insert);
    try (SinkHandle handle = sink.start(config())) {
      await().atMost(SOON).until(() -> count("d") == 100);
      database().stop();
      send("d", 100, 200, true);
      await().atMost(SOON).until(() -> handle.health().state() == SinkHealth.State.RETRYING);
      database().start();
      await().atMost(SOON).until(() -> count("d") == 200);
      await().atMost(SOON).until(() -> handle.health().state() == SinkHealth.State.WORKING);
    }
  }

  @Test
  void a_row_that_the_database_refuses_ends_the_sink_or_is_buried() throws Exception {
    prepare("e");
    send("e", 0, 10, true);
    send("e", -1, 0, true);
    send("e", 10, 20, true);
    JdbcSink<String, String> sink = sink("e", database().source(), SinkBehaviour::insert);
    try (SinkHandle handle = sink.start(config())) {
      assertThat(Objects.requireNonNull(handle.await(SOON)).reason())
          .isEqualTo(StopReason.POISON_INPUT);
    }
    try (SinkHandle handle = sink.deadLetterTable("e_dead").start(config())) {
      await().atMost(SOON).until(() -> count("e") == 20);
      assertThat(handle.counts().deadLetters()).isEqualTo(1);
    }
    assertThat(number("SELECT COUNT(*) FROM e_dead")).isEqualTo(1);
  }

  // ---- the set

  static JdbcSink<String, String> sink(
      String prefix, DataSource source, RowWriter<String, String> writer) {
    return JdbcSink.named(prefix + "-to-db")
        .from(prefix + "-payments", Serdes.String(), Serdes.String())
        .into(source, writer);
  }

  static void insert(Connection connection, Message<String, String> message) throws SQLException {
    String table = message.origin().topic().replace("-payments", "_rows");
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO " + table + " (id, amount) VALUES (?, ?)")) {
      insert.setString(1, message.key());
      insert.setInt(2, Integer.parseInt(message.value()));
      insert.executeUpdate();
    }
  }

  static JobConfig config(String bootstrapServers) {
    return JobConfig.of(
        Map.of(
            "bootstrap.servers",
            bootstrapServers,
            "session.timeout.ms",
            "2000",
            "heartbeat.interval.ms",
            "300"));
  }

  private static JobConfig config() {
    return config(BROKER.bootstrapServers());
  }

  private void prepare(String prefix) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", BROKER.bootstrapServers()))) {
      admin.createTopics(List.of(new NewTopic(prefix + "-payments", 4, (short) 1))).all().get();
    }
    try (Connection connection = database().connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE "
              + prefix
              + "_rows (id VARCHAR(40) PRIMARY KEY, amount INTEGER CHECK (amount >= 0))");
    }
  }

  /** Payments of these numbers, in one transaction. */
  private static void send(String prefix, int from, int to, boolean isCommit) {
    Map<String, Object> settings =
        Map.of("bootstrap.servers", BROKER.bootstrapServers(), "transactional.id", "t-" + prefix);
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      for (int i = from; i < to; i++) {
        var unused =
            producer.send(
                new ProducerRecord<>(prefix + "-payments", "key-" + i, String.valueOf(i)));
      }
      if (isCommit) {
        producer.commitTransaction();
      } else {
        producer.abortTransaction();
      }
    }
  }

  private long count(String prefix) throws Exception {
    return number("SELECT COUNT(*) FROM " + prefix + "_rows");
  }

  private long offsets(String prefix) throws Exception {
    return number(
        "SELECT SUM(next_offset) FROM fencepost_offsets WHERE sink = '" + prefix + "-to-db'");
  }

  private long number(String sql) throws Exception {
    try (Connection connection = database().connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
