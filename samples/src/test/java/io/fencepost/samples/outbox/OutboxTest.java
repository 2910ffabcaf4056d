package io.fencepost.samples.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fencepost.streams.test.JobTest;
import io.fencepost.streams.test.Point;
import io.fencepost.streams.test.TestTopic;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** From the row to the mail, with a process that dies at each hand-over. */
class OutboxTest {
  private final MockProducer<String, String> producer =
      new MockProducer<>(true, null, new StringSerializer(), new StringSerializer());
  private final Map<String, String> mails = new ConcurrentSkipListMap<>();
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger failures = new AtomicInteger();
  private Connection database;
  private HttpServer server;

  @BeforeEach
  void start(TestInfo test) throws Exception {
    database =
        DriverManager.getConnection(
            "jdbc:h2:mem:" + test.getTestMethod().orElseThrow().getName() + ";DB_CLOSE_DELAY=-1");
    OutboxTable.create(database);
    execute("CREATE TABLE orders (id INTEGER PRIMARY KEY)");
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() throws SQLException {
    server.stop(0);
    execute("SHUTDOWN");
  }

  /** A mail server that keeps the first request of each key. */
  private void answer(HttpExchange exchange) throws IOException {
    requests.incrementAndGet();
    String mail = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    int status = mail.contains("nobody") ? 422 : 200;
    if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      status = 503;
    } else if (status == 200) {
      mails.putIfAbsent(exchange.getRequestHeaders().getFirst("Idempotency-Key"), mail);
    }
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  @Test
  void an_order_that_is_rolled_back_tells_nobody_and_a_committed_one_is_told() throws Exception {
    order(1, true);
    order(2, false);
    assertThat(OutboxRelay.move(database, producer)).isEqualTo(1);
    assertThat(producer.history()).singleElement().matches(r -> r.value().equals("order 1"));
    assertThat(count("outbox")).isZero();
    assertThat(OutboxRelay.move(database, producer)).isZero();
  }

  @Test
  void a_row_that_the_broker_has_not_acknowledged_stays() throws Exception {
    order(1, true);
    producer.sendException = new IllegalStateException("the broker is away");
    assertThatThrownBy(() -> OutboxRelay.move(database, producer))
        .hasMessageContaining("broker is away");
    assertThat(count("outbox")).isEqualTo(1);
    producer.sendException = null;
    assertThat(OutboxRelay.move(database, producer)).isEqualTo(1);
  }

  @Test
  void each_order_is_one_mail_though_relay_and_mailer_die_and_the_server_is_away()
      throws Exception {
    order(1, true);
    order(2, true);
    // The relay dies after the acknowledgement and before the delete: the rows come again.
    List<OutboxTable.Event> events = OutboxTable.take(database);
    OutboxRelay.move(database, producer);
    for (OutboxTable.Event event : events) {
      execute("INSERT INTO outbox (id, payload) VALUES ('" + event.id() + "', 'order again')");
    }
    OutboxRelay.move(database, producer);
    assertThat(producer.history()).hasSize(4);

    failures.set(2);
    try (JobTest test = JobTest.of(OutboxMailer.define(address()))) {
      publish(test);
      test.crashAt(Point.BEFORE_COMMIT).run();
      assertThat(test.crashes()).isEqualTo(1);
      assertThat(topic(test, "outbox-done").committed()).hasSize(2);
      assertThat(test.deadLetters()).isEmpty();
    }
    assertThat(mails.values()).containsExactlyInAnyOrder("order 1", "order 2");
    assertThat(mails.keySet())
        .containsExactly("outbox-mailer/mail/outbox/0/0/0", "outbox-mailer/mail/outbox/0/1/0");
    assertThat(requests.get()).as("some were sent again").isGreaterThan(4);
  }

  @Test
  void a_mail_that_the_server_refuses_is_a_dead_letter() {
    try (JobTest test = JobTest.of(OutboxMailer.define(address()))) {
      topic(test, "outbox").send("e1", "to nobody").send("e2", "to somebody");
      test.run();
      assertThat(test.deadLetters()).singleElement().matches(r -> r.key().equals("e1"));
      assertThat(topic(test, "outbox-done").committed()).hasSize(1);
    }
    assertThat(mails.values()).containsExactly("to somebody");
  }

  private URI address() {
    return URI.create("http://localhost:" + server.getAddress().getPort() + "/mails");
  }

  private void publish(JobTest test) {
    producer
        .history()
        .forEach(record -> topic(test, record.topic()).send(record.key(), record.value()));
  }

  private static TestTopic<String, String> topic(JobTest test, String name) {
    return test.topic(name, Serdes.String(), Serdes.String());
  }

  /** The business's own change, and the news of it. */
  private void order(int id, boolean isCommitted) throws SQLException {
    database.setAutoCommit(false);
    execute("INSERT INTO orders (id) VALUES (" + id + ")");
    OutboxTable.add(database, "order " + id);
    if (isCommitted) {
      database.commit();
    } else {
      database.rollback();
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = database.createStatement()) {
      statement.execute(sql);
    }
  }

  private long count(String table) throws SQLException {
    try (Statement statement = database.createStatement();
        ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
      row.next();
      return row.getLong(1);
    }
  }
}
