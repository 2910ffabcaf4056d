package io.fencepost.streams.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.Flow;
import io.fencepost.streams.Job;
import io.fencepost.streams.JobStartException;
import io.fencepost.streams.JoinWindow;
import io.fencepost.streams.Table;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;

/** Joins as a user tests them. */
class JoinedJobTest {
  private static final Serde<String> TEXT = Serdes.String();

  private final Job job = Job.named("j");

  @Test
  void topics_of_different_sizes_are_refused_by_their_names_with_the_way_out() {
    Table<String, String> customers = job.table("customers", "customers-store", TEXT, TEXT);
    job.from("orders", TEXT, TEXT)
        .join(customers, (order, customer) -> order + customer)
        .to("out", TEXT, TEXT);
    try (JobTest test = JobTest.of(job).partitions("orders", 2).partitions("customers", 3)) {
      assertThatThrownBy(test::run)
          .isInstanceOf(JobStartException.class)
          .hasMessageContaining("customers=3")
          .hasMessageContaining("orders=2")
          .hasMessageContaining("keyBy(...)");
    }
  }

  @Test
  void a_side_with_new_keys_goes_to_the_partitions_of_the_other() {
    Table<String, String> customers = job.table("customers", "customers-store", TEXT, TEXT);
    job.from("orders", TEXT, TEXT)
        .keyBy("by-customer", order -> order, TEXT, TEXT)
        .leftJoin(customers, (order, customer) -> order + " of " + customer)
        .to("out", TEXT, TEXT);
    try (JobTest test = JobTest.of(job).partitions("orders", 1).partitions("customers", 5)) {
      for (int i = 0; i < 30; i++) {
        test.topic("customers", TEXT, TEXT).send("c" + i, "C" + i);
        test.topic("orders", TEXT, TEXT).send("o" + i, "c" + i);
      }
      test.run();
      List<TestRecord<String, String>> out = test.topic("out", TEXT, TEXT).committed();
      assertThat(out).hasSize(30).allMatch(r -> r.value().matches("c(\\d+) of C\\1"));
      assertThat(test.topic("j-by-customer-repartition", TEXT, TEXT).committed())
          .extracting(TestRecord::partition)
          .contains(0, 1, 2, 3, 4);
    }
  }

  @Test
  void what_waits_for_a_partner_survives_crash_and_loss_of_the_state() {
    Flow<String, String> left = job.from("left", TEXT, TEXT);
    left.outerJoin(
            job.from("right", TEXT, TEXT),
            JoinWindow.of(Duration.ofDays(1)),
            "pair",
            TEXT,
            TEXT,
            (a, b) -> a + b)
        .to("out", TEXT, TEXT);
    try (JobTest test = JobTest.of(job)) {
      test.topic("left", TEXT, TEXT).send("k", "l1").send("lonely", "l2");
      test.run();
      assertThat(test.topic("out", TEXT, TEXT).committed()).isEmpty();
      test.loseState().crash();
      test.topic("right", TEXT, TEXT).send("k", "r1");
      test.crashAt(Point.BEFORE_COMMIT).run();
      assertThat(test.crashes()).isEqualTo(2);
      assertThat(test.topic("out", TEXT, TEXT).committed())
          .extracting(TestRecord::value)
          .containsExactly("l1r1");
      test.advance(Duration.ofDays(3));
      test.topic("right", TEXT, TEXT).send("tick", "r2");
      test.run();
      assertThat(test.topic("out", TEXT, TEXT).committed())
          .extracting(TestRecord::value)
          .containsExactly("l1r1", "l2null");
      assertThat(test.store("pair", Serdes.ByteArray(), Serdes.ByteArray()).entries())
          .as("what waits still, and the number of the next")
          .hasSize(2);
    }
  }
}
