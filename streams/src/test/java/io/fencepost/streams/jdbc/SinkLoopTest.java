package io.fencepost.streams.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.JobEnd;
import io.fencepost.streams.StopReason;
import io.fencepost.streams.TryAgainLater;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** One worker of a sink, stepped by hand over a real database and a consumer that is none. */
class SinkLoopTest {
  private static final TopicPartition FIRST = new TopicPartition("charges", 0);
  private static final TopicPartition SECOND = new TopicPartition("charges", 1);
  private static final Serde<String> TEXT = Serdes.String();

  private final Flaky database = new Flaky();
  private Connection held;
  private long nowMs;

  @BeforeEach
  void create(TestInfo test) throws SQLException {
    database.h2.setURL("jdbc:h2:mem:" + test.getTestMethod().orElseThrow().getName());
    held = database.h2.getConnection(); // H2 drops a database that nobody is connected to
    execute("CREATE TABLE rows (id VARCHAR(20) PRIMARY KEY, amount INTEGER CHECK (amount > 0))");
  }

  @AfterEach
  void drop() throws SQLException {
    held.close();
  }

  @Test
  void rows_and_offset_are_committed_together_and_a_restart_goes_on_there() throws Exception {
    Worker worker = new Worker(null);
    worker.give(FIRST);
    worker.add(FIRST, 0, "a=1", "b=2");
    worker.steps(2);
    assertThat(rows()).containsExactly("a=1", "b=2");
    assertThat(offset(FIRST)).isEqualTo(2);
    assertThat(worker.loop.counts()).isEqualTo(new SinkCounts(2, 0, 1, 0, 0));
    assertThat(worker.loop.health().state()).isEqualTo(SinkHealth.State.WORKING);

    Worker next = new Worker(null);
    next.give(FIRST);
    next.steps(1);
    assertThat(next.consumer.position(FIRST)).isEqualTo(2);
    next.add(FIRST, 2, "c=3");
    next.steps(1);
    assertThat(rows()).containsExactly("a=1", "b=2", "c=3");
  }

  @Test
  void a_sink_that_lost_its_partition_without_knowing_stores_nothing_more() throws Exception {
    Worker zombie = new Worker(null);
    zombie.give(FIRST);
    zombie.steps(1);
    Worker owner = new Worker(null);
    owner.give(FIRST);
    owner.add(FIRST, 0, "a=1");
    owner.steps(2);
    zombie.add(FIRST, 0, "a=1", "b=2");
    zombie.steps(1);
    assertThat(rows()).containsExactly("a=1");
    assertThat(zombie.loop.counts().fences()).isEqualTo(1);
    assertThat(zombie.consumer.paused()).containsExactly(FIRST);
    zombie.consumer.rebalance(List.of());
    zombie.steps(1);
    owner.add(FIRST, 1, "b=2");
    owner.steps(1);
    assertThat(rows()).containsExactly("a=1", "b=2");
    assertThat(owner.loop.counts().fences()).isZero();
  }

  @Test
  void whoever_waits_for_the_row_of_a_committing_owner_goes_on_after_it() throws Exception {
    Worker old = new Worker(null);
    old.give(FIRST);
    old.steps(1);
    Worker next = new Worker(null);
    next.give(FIRST);
    old.duringWrite =
        () -> {
          // Its transaction is open while the next one takes the partition: that one is faster.
          next.steps(1);
        };
    old.add(FIRST, 0, "a=1");
    old.steps(1);
    assertThat(rows()).isEmpty();
    assertThat(old.loop.counts().fences()).isEqualTo(1);
    next.add(FIRST, 0, "a=1");
    next.steps(1);
    assertThat(rows()).containsExactly("a=1");
  }

  @Test
  void partitions_come_and_go_and_each_stands_where_the_database_says() throws Exception {
    Worker left = new Worker(null);
    left.give(FIRST, SECOND);
    left.steps(1);
    left.add(FIRST, 0, "a=1");
    left.add(SECOND, 0, "x=1", "y=1");
    left.steps(1);
    Worker right = new Worker(null);
    left.consumer.rebalance(List.of(FIRST));
    right.give(SECOND);
    right.steps(1);
    right.add(SECOND, 2, "z=1");
    left.add(FIRST, 1, "b=1");
    left.steps(1);
    right.steps(1);
    assertThat(rows()).containsExactly("a=1", "b=1", "x=1", "y=1", "z=1");
    assertThat(offset(FIRST)).isEqualTo(2);
    assertThat(offset(SECOND)).isEqualTo(3);
  }

  @Test
  void a_commit_that_nobody_saw_is_looked_up_and_not_done_again() throws Exception {
    Worker worker = new Worker(null);
    worker.give(FIRST);
    worker.steps(1);
    database.loseNextCommitAnswer = true;
    worker.add(FIRST, 0, "a=1", "b=2");
    worker.steps(1);
    assertThat(worker.loop.counts().retries()).isEqualTo(1);
    assertThat(worker.loop.health().state()).isEqualTo(SinkHealth.State.RETRYING);
    worker.steps(3);
    assertThat(worker.consumer.position(FIRST)).isEqualTo(2);
    assertThat(rows()).containsExactly("a=1", "b=2");
    assertThat(worker.loop.health().state()).isEqualTo(SinkHealth.State.WORKING);
  }

  @Test
  void a_database_that_is_away_is_waited_for_but_not_for_ever() throws Exception {
    Worker worker = new Worker(null);
    worker.give(FIRST);
    worker.steps(1);
    database.isAway = true;
    worker.add(FIRST, 0, "a=1");
    worker.steps(5);
    assertThat(worker.loop.end()).isNull();
    database.isAway = false;
    worker.steps(3);
    worker.add(FIRST, 0, "a=1");
    worker.steps(3);
    assertThat(rows()).containsExactly("a=1");
    database.isAway = true;
    worker.add(FIRST, 1, "b=1");
    for (int i = 0; i < 100 && worker.loop.end() == null; i++) {
      worker.steps(1);
    }
    JobEnd end = Objects.requireNonNull(worker.loop.end());
    assertThat(end.reason()).isEqualTo(StopReason.TIMED_OUT);
    assertThat(end.detail()).contains("task.timeout.ms=10000").contains("no connection");
  }

  @Test
  void without_a_dead_letter_table_a_poison_row_ends_the_sink_and_what_is_before_it_is_stored()
      throws Exception {
    Worker worker = new Worker(null);
    worker.give(FIRST);
    worker.steps(1);
    worker.add(FIRST, 0, "a=1", "b=-2", "c=3");
    worker.steps(1);
    JobEnd end = Objects.requireNonNull(worker.loop.end());
    assertThat(end.reason()).isEqualTo(StopReason.POISON_INPUT);
    assertThat(end.detail()).contains("charges-0@1").contains("deadLetterTable");
    assertThat(rows()).containsExactly("a=1");
    assertThat(offset(FIRST)).isEqualTo(1);
  }

  @Test
  void with_a_dead_letter_table_it_goes_there_as_it_came() throws Exception {
    Worker worker = new Worker("dead");
    worker.give(FIRST);
    worker.steps(1);
    worker.add(FIRST, 0, "a=1", "b=-2", "no number", "c=3", "a=9");
    worker.steps(1);
    assertThat(worker.loop.end()).isNull();
    assertThat(rows()).containsExactly("a=1", "c=3");
    assertThat(offset(FIRST)).isEqualTo(5);
    assertThat(worker.loop.counts()).isEqualTo(new SinkCounts(2, 3, 5, 0, 0));
    assertThat(query("SELECT record_offset, record_value, reason FROM dead ORDER BY 1"))
        .satisfiesExactly(
            letter -> assertThat(letter).startsWith("1 b=-2 ").contains("Check constraint"),
            letter -> assertThat(letter).startsWith("2 no number ").contains("NumberFormat"),
            letter -> assertThat(letter).startsWith("4 a=9 ").contains("primary key"));
  }

  @Test
  void what_is_read_anew_and_buried_already_is_passed() throws Exception {
    Worker worker = new Worker("dead");
    worker.give(FIRST);
    worker.steps(1);
    worker.add(FIRST, 0, "no number", "b=-2");
    worker.steps(1);
    execute("UPDATE fencepost_offsets SET next_offset = 0");
    Worker again = new Worker("dead");
    again.give(FIRST);
    again.steps(1);
    again.add(FIRST, 0, "no number", "b=-2", "c=3");
    again.steps(1);
    assertThat(again.loop.end()).isNull();
    assertThat(rows()).containsExactly("c=3");
    assertThat(offset(FIRST)).isEqualTo(3);
    assertThat(query("SELECT record_offset, record_value, '' FROM dead ORDER BY 1"))
        .containsExactly("0 no number ", "1 b=-2 ");
  }

  @Test
  void a_table_that_is_missing_ends_the_sink_and_buries_nothing() throws Exception {
    execute("DROP TABLE rows");
    Worker worker = new Worker("dead");
    worker.give(FIRST);
    worker.steps(1);
    worker.add(FIRST, 0, "a=1");
    worker.steps(1);
    assertThat(Objects.requireNonNull(worker.loop.end()).reason()).isEqualTo(StopReason.REFUSED);
    assertThat(query("SELECT COUNT(*), '', '' FROM dead")).containsExactly("0  ");
  }

  @Test
  void the_writer_cannot_end_the_transaction_and_may_ask_to_try_again() throws Exception {
    Worker worker = new Worker(null);
    AtomicInteger calls = new AtomicInteger();
    worker.duringWrite =
        () -> {
          if (calls.incrementAndGet() == 1) {
            throw new TryAgainLater("rates are not loaded", null);
          }
          Connection connection = Objects.requireNonNull(worker.writing);
          assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
          assertThatThrownBy(connection::rollback).isInstanceOf(SQLException.class);
          assertThatThrownBy(connection::close).isInstanceOf(SQLException.class);
          assertThatThrownBy(() -> connection.setAutoCommit(true)).isInstanceOf(SQLException.class);
          connection.rollback(connection.setSavepoint());
        };
    worker.give(FIRST);
    worker.steps(1);
    worker.add(FIRST, 0, "a=1");
    worker.steps(3);
    worker.add(FIRST, 0, "a=1");
    worker.steps(1);
    assertThat(rows()).containsExactly("a=1");
    assertThat(worker.loop.counts().retries()).isEqualTo(1);
  }

  @Test
  void offsets_of_another_cluster_or_beyond_the_topic_are_refused() throws Exception {
    Worker worker = new Worker(null);
    worker.give(FIRST);
    worker.steps(1);
    worker.consumer.setPollException(new OffsetOutOfRangeException(Map.of(FIRST, 0L)));
    worker.steps(1);
    JobEnd end = Objects.requireNonNull(worker.loop.end());
    assertThat(end.reason()).isEqualTo(StopReason.REFUSED);
    assertThat(end.detail()).contains("fencepost_offsets").contains("next_offset");

    execute("UPDATE fencepost_offsets SET cluster_id = 'elsewhere'");
    Worker moved = new Worker(null);
    moved.give(FIRST);
    moved.steps(1);
    assertThat(Objects.requireNonNull(moved.loop.end()).detail())
        .contains("elsewhere")
        .contains("another name");
  }

  // ---- the set

  private interface Action {
    void run() throws Exception;
  }

  @Test
  void what_the_writer_says_once_it_is_interrupted_is_neither_stored_nor_buried() throws Exception {
    Worker worker = new Worker("dead");
    worker.give(FIRST);
    worker.steps(1);
    worker.add(FIRST, 0, "a=1");
    worker.duringWrite =
        () -> {
          worker.loop.hurry();
          throw new IllegalStateException(new InterruptedException());
        };
    worker.steps(1);
    assertThat(Objects.requireNonNull(worker.loop.end()).reason()).isEqualTo(StopReason.STOPPED);
    Worker next = new Worker("dead");
    next.give(FIRST);
    next.steps(1);
    next.add(FIRST, 0, "a=1");
    next.duringWrite = next.loop::hurry; // and goes on as if nothing were
    next.steps(1);
    assertThat(rows()).isEmpty();
    assertThat(offset(FIRST)).isZero();
    assertThat(next.loop.counts().deadLetters()).isZero();
  }

  private final class Worker {
    final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
    final SinkLoop<String, String> loop;
    Action duringWrite = () -> {};
    @Nullable Connection writing;

    Worker(@Nullable String deadLetters) {
      JdbcSink<String, String> sink =
          JdbcSink.named("sink")
              .from("charges", TEXT, TEXT)
              .into(
                  database.source(),
                  (connection, message) -> {
                    writing = connection;
                    insert(connection, message.value());
                    duringWrite.run();
                  });
      if (deadLetters != null) {
        sink = sink.deadLetterTable(deadLetters);
      }
      loop =
          new SinkLoop<>(
              sink.definition(),
              new SinkSettings(0, 10_000, false),
              consumer,
              sink.tables("sink", "cluster", "worker"));
      loop.subscribe();
    }

    void give(TopicPartition... partitions) {
      consumer.rebalance(List.of(partitions));
      for (TopicPartition partition : partitions) {
        consumer.updateBeginningOffsets(Map.of(partition, 0L));
      }
    }

    void add(TopicPartition partition, long firstOffset, String... values) {
      long offset = firstOffset;
      for (String value : values) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        consumer.addRecord(
            new ConsumerRecord<>(partition.topic(), partition.partition(), offset++, bytes, bytes));
      }
    }

    /** Steps half a second apart. */
    void steps(int count) {
      for (int i = 0; i < count; i++) {
        loop.step(nowMs += 500);
      }
    }
  }

  /** H2, with switches for what goes wrong. */
  private static final class Flaky {
    private final JdbcDataSource h2 = new JdbcDataSource();
    boolean isAway;
    boolean loseNextCommitAnswer;

    DataSource source() {
      return proxy(DataSource.class, h2, method -> {}, this::lossy);
    }

    private Object lossy(Object connection) throws SQLException {
      if (isAway) {
        ((Connection) connection).close();
        throw new SQLException("no route to host", "XX000");
      }
      return proxy(Connection.class, connection, this::afterCall, result -> result);
    }

    private void afterCall(Method method) throws SQLException {
      if (method.getName().equals("commit") && loseNextCommitAnswer) {
        loseNextCommitAnswer = false;
        throw new SQLException("connection reset", "08006");
      }
    }
  }

  private interface AfterCall {
    void of(Method method) throws SQLException;
  }

  private interface Replacing {
    @Nullable Object of(Object result) throws SQLException;
  }

  private static <T> T proxy(Class<T> type, Object inner, AfterCall after, Replacing replacing) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          Object result;
          try {
            result = method.invoke(inner, arguments);
          } catch (InvocationTargetException e) {
            throw Objects.requireNonNull(e.getCause());
          }
          after.of(method);
          return result == null ? null : replacing.of(result);
        };
    return type.cast(
        Proxy.newProxyInstance(
            SinkLoopTest.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static void insert(Connection connection, String value) throws SQLException {
    String[] parts = value.split("=");
    int amount = Integer.parseInt(parts[parts.length - 1]);
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO rows (id, amount) VALUES (?, ?)")) {
      insert.setString(1, parts[0]);
      insert.setInt(2, amount);
      insert.executeUpdate();
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = held.createStatement()) {
      statement.execute(sql);
    }
  }

  private List<String> rows() throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = held.createStatement();
        ResultSet found = statement.executeQuery("SELECT id, amount FROM rows ORDER BY id")) {
      while (found.next()) {
        rows.add(found.getString(1) + "=" + found.getInt(2));
      }
    }
    return rows;
  }

  private long offset(TopicPartition partition) throws SQLException {
    try (Statement statement = held.createStatement();
        ResultSet found =
            statement.executeQuery(
                "SELECT next_offset FROM fencepost_offsets WHERE part = "
                    + partition.partition())) {
      found.next();
      return found.getLong(1);
    }
  }

  private List<String> query(String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = held.createStatement();
        ResultSet found = statement.executeQuery(sql)) {
      while (found.next()) {
        String value =
            found.getObject(2) instanceof String text
                ? text
                : new String(found.getBytes(2), StandardCharsets.UTF_8);
        rows.add(found.getString(1) + " " + value + " " + found.getString(3));
      }
    }
    return rows;
  }
}
