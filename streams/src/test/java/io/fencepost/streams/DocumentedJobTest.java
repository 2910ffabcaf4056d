package io.fencepost.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.jdbc.JdbcSink;
import io.fencepost.streams.test.JobTest;
import io.fencepost.streams.test.Point;
import io.fencepost.streams.test.TestRecord;
import io.fencepost.streams.test.TestTopic;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** The jobs of docs/jobs.md. */
class DocumentedJobTest {
  @Test
  void each_payment_once() {
    Job job = Job.named("payment-dedup").deadLetters("payments-dead");
    job.from("payments", Serdes.String(), Serdes.String())
        .mapValues(DocumentedJobTest::checked)
        .deduplicate(
            "seen",
            Duration.ofDays(30),
            repeats -> repeats.to("payments-repeated", Serdes.String(), Serdes.String()))
        .to("charges", Serdes.String(), Serdes.String());
    assertThat(job.sourceTopics()).containsExactly("payments");
    assertThat(job.sinkTopics()).containsExactly("charges", "payments-repeated");
    assertThat(job.stores().get(0).changelogTopic("payment-dedup"))
        .isEqualTo("payment-dedup-seen-changelog");
    assertThat(job.describe()).contains("dead letters to payments-dead");
  }

  @Test
  void state_of_your_own() {
    StoreSpec<String, Long> totals = StoreSpec.keyed("totals", Serdes.String(), Serdes.Long());
    Job job = Job.named("totals");
    job.from("charges", Serdes.String(), Serdes.Long())
        .<String, Long, String, Long>process(
            totals,
            (in, store, out) -> {
              Long before = store.get(in.key());
              long total = in.value() + (before == null ? 0 : before);
              store.put(in.key(), total);
              out.emit(in.withValue(total));
            })
        .to("totals", Serdes.String(), Serdes.Long());
    assertThat(job.stores().get(0)).isSameAs(totals);
    assertThat(totals.isPersistent()).isTrue();
    assertThat(totals.inMemory().isPersistent()).isFalse();
  }

  @Test
  void windows() {
    Job job = Job.named("suppliers");
    WindowedFlow<String, Long> fiveMinutes =
        job.from("payments", Serdes.String(), Serdes.Long())
            .window(Windows.tumbling(Duration.ofMinutes(5)).grace(Duration.ofSeconds(30)));
    fiveMinutes
        .late(late -> late.to("payments-late", Serdes.String(), Serdes.Long()))
        .count("per-supplier")
        .to("counts", Windowed.serde(Serdes.String()), Serdes.Long());
    fiveMinutes
        .reduce("sums", Serdes.Long(), Long::sum)
        .to("sums", Windowed.serde(Serdes.String()), Serdes.Long());
    assertThat(job.sinkTopics()).containsExactly("counts", "payments-late", "sums");
    assertThat(job.stores()).extracting(StoreSpec::name).containsExactly("per-supplier", "sums");
  }

  @Test
  void tables_and_joins() {
    Job job = Job.named("orders");
    Table<String, String> customers =
        job.table("customers", "customers-store", Serdes.String(), Serdes.String());
    Flow<String, String> payments = job.from("payments", Serdes.String(), Serdes.String());
    Flow<String, String> orders =
        job.from("orders", Serdes.String(), Serdes.String())
            .keyBy(
                "orders-by-customer",
                order -> order.split(",", -1)[0],
                Serdes.String(),
                Serdes.String());
    orders
        .leftJoin(customers, (order, customer) -> order + " of " + customer)
        .to("named-orders", Serdes.String(), Serdes.String());
    Processed<String, String> paid =
        orders.outerJoin(
            payments,
            JoinWindow.of(Duration.ofHours(1)).grace(Duration.ofMinutes(5)),
            "paid",
            Serdes.String(),
            Serdes.String(),
            (order, payment) -> order + "/" + payment);
    paid.to("paid-orders", Serdes.String(), Serdes.String());
    paid.side(JoinWindow.<String, String>late())
        .to("late-orders", Serdes.String(), Serdes.String());
    assertThat(job.stores())
        .extracting(StoreSpec::name)
        .containsExactly("customers-store", "paid", "paid-timers");
    assertThat(job.describe()).contains("late:").contains("write late-orders");
  }

  @Test
  void testing_a_job() {
    Job job = Job.named("payment-dedup").deadLetters("payments-dead");
    job.from("payments", Serdes.String(), Serdes.String())
        .mapValues(DocumentedJobTest::checked)
        .deduplicate("seen", Duration.ofDays(30))
        .to("charges", Serdes.String(), Serdes.String());
    try (JobTest test = JobTest.of(job).partitions(4)) {
      TestTopic<String, String> payments = test.topic("payments", Serdes.String(), Serdes.String());
      payments.send("p1", "12.50").send("p1", "12.50");
      test.crashAt(Point.BEFORE_COMMIT);
      test.run();
      TestTopic<String, String> charges = test.topic("charges", Serdes.String(), Serdes.String());
      assertThat(charges.committed()).extracting(TestRecord::value).containsExactly("12.50");
      assertThat(charges.uncommitted()).hasSize(2);
      assertThat(test.crashes()).isEqualTo(1);
    }
  }

  @Test
  void into_a_database() {
    JdbcDataSource dataSource = new JdbcDataSource();
    JdbcSink<String, String> sink =
        JdbcSink.named("charges-to-db")
            .from("charges", Serdes.String(), Serdes.String())
            .into(dataSource, (connection, message) -> insert(connection, message))
            .deadLetterTable("charges_dead");
    assertThat(sink.guarantee())
        .contains("each committed message of charges is stored exactly once")
        .contains("goes to the table charges_dead");
    assertThatThrownBy(() -> sink.offsetsTable("offsets; DROP TABLE charges"))
        .hasMessageContaining("must be of letters");
  }

  private static void insert(Connection connection, Message<String, String> message)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO charges (id, amount) VALUES (?, ?)")) {
      insert.setString(1, message.key());
      insert.setString(2, message.value());
      insert.executeUpdate();
    }
  }

  private static String checked(String payment) {
    if (payment.isBlank()) {
      throw new IllegalArgumentException("an empty payment");
    }
    return payment;
  }
}
