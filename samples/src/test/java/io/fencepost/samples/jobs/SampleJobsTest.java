package io.fencepost.samples.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.samples.dedup.JsonSerde;
import io.fencepost.samples.jobs.Enrichment.Order;
import io.fencepost.samples.jobs.Enrichment.Supplier;
import io.fencepost.samples.jobs.TransferLedger.Entry;
import io.fencepost.samples.jobs.TransferLedger.Transfer;
import io.fencepost.samples.payment.Charge;
import io.fencepost.samples.payment.Delivery;
import io.fencepost.streams.Job;
import io.fencepost.streams.Windowed;
import io.fencepost.streams.test.JobTest;
import io.fencepost.streams.test.Point;
import io.fencepost.streams.test.TestRecord;
import io.fencepost.streams.test.TestTopic;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;

/** The sample jobs without a broker, each with a process that dies on the way. */
class SampleJobsTest {
  private static final Serde<String> TEXT = Serdes.String();
  private static final long MINUTE_MS = 60_000;

  @Test
  void a_payment_that_is_delivered_twice_is_charged_once() {
    Serde<Delivery> deliveries = new JsonSerde<>(Delivery.class);
    Serde<Charge> charges = new JsonSerde<>(Charge.class);
    try (JobTest test = JobTest.of(PaymentDedup.define())) {
      String row = "2021-01-04,1,10.10,A Ltd,Leisure,Staff";
      test.topic("payments", TEXT, deliveries)
          .send("1", new Delivery("f", 2, 0, 6, row))
          .send("1", new Delivery("f", 2, 1, 6, row))
          .send("2", new Delivery("f", 3, 0, 6, "no payment"));
      test.crashAt(Point.BEFORE_COMMIT).run();
      assertThat(test.crashes()).isEqualTo(1);
      assertThat(test.topic("charges", TEXT, charges).committed()).hasSize(1);
      assertThat(test.topic("payments-duplicates", TEXT, charges).committed()).hasSize(1);
      assertThat(test.deadLetters()).hasSize(1);
    }
  }

  @Test
  void a_balance_is_the_exact_sum_of_the_charges_of_its_supplier() {
    try (JobTest test = JobTest.of(RunningBalance.define()).partitions(3)) {
      TestTopic<String, Charge> charges =
          test.topic("charges", TEXT, new JsonSerde<>(Charge.class));
      charges.send("1", charge("1", "0.10", "A Ltd")).send("2", charge("2", "5", "B Ltd"));
      test.crashAt(Point.AFTER_CHANGE).run();
      charges.send("3", charge("3", "0.20", "A Ltd")).send("4", charge("4", "-0.30", "A Ltd"));
      test.crashAt(Point.BEFORE_APPLY).run();
      assertThat(test.crashes()).isEqualTo(2);
      assertThat(test.store(RunningBalance.BALANCES).all())
          .isEqualTo(
              new TreeMap<>(Map.of("A Ltd", new BigDecimal("0.00"), "B Ltd", new BigDecimal("5"))));
      assertThat(test.topic("balances", TEXT, new Decimals()).committed()).hasSize(4);
    }
  }

  @Test
  void both_sides_of_a_transfer_are_in_the_ledger_or_neither_wherever_the_process_dies() {
    for (Point point : Point.values()) {
      try (JobTest test = JobTest.of(TransferLedger.define()).partitions(3)) {
        TestTopic<String, Transfer> transfers =
            test.topic("transfers", TEXT, new JsonSerde<>(Transfer.class));
        transfers
            .send("t1", new Transfer("ann", "bob", new BigDecimal("12.34")))
            .send("t2", new Transfer("bob", "ann", new BigDecimal("0.01")))
            .send("t1", new Transfer("ann", "bob", new BigDecimal("12.34")))
            .send("t3", new Transfer("ann", "ann", BigDecimal.ONE))
            .send("t4", new Transfer("ann", "bob", new BigDecimal("-5")));
        test.crashAt(point).run();
        assertThat(test.crashes()).as("%s", point).isEqualTo(1);
        List<TestRecord<String, Entry>> ledger =
            test.topic("ledger", TEXT, new JsonSerde<>(Entry.class)).committed();
        assertThat(ledger).as("%s", point).hasSize(4);
        assertThat(sum(ledger, "t1")).isEqualByComparingTo("0");
        assertThat(sum(ledger, "t2")).isEqualByComparingTo("0");
        assertThat(test.deadLetters()).as("%s", point).hasSize(2);
      }
    }
  }

  private static BigDecimal sum(List<TestRecord<String, Entry>> ledger, String transfer) {
    return ledger.stream()
        .map(TestRecord::value)
        .filter(entry -> entry.transfer().equals(transfer))
        .map(Entry::amount)
        .reduce(BigDecimal.ZERO, BigDecimal::add);
  }

  @Test
  void a_card_with_too_many_payments_in_one_window_raises_one_alarm() {
    try (JobTest test = JobTest.of(FraudCount.define())) {
      TestTopic<String, BigDecimal> payments = test.topic("card-payments", TEXT, new Decimals());
      for (int i = 0; i < 4; i++) {
        payments.send("stolen", BigDecimal.TEN, MINUTE_MS + i);
        payments.send("mine", BigDecimal.ONE, i * 2L * MINUTE_MS);
      }
      payments.send("mine", BigDecimal.ONE, 20 * MINUTE_MS);
      payments.send("mine", BigDecimal.ONE, 0);
      test.crashAt(Point.BEFORE_COMMIT).run();
      assertThat(test.crashes()).isEqualTo(1);
      assertThat(test.topic("fraud-alarms", Windowed.serde(TEXT), Serdes.Long()).committed())
          .singleElement()
          .matches(alarm -> alarm.value() == 4)
          .matches(alarm -> alarm.key().equals(new Windowed<>("stolen", 0, 5 * MINUTE_MS)));
      assertThat(test.topic("card-payments-late", TEXT, new Decimals()).committed()).hasSize(1);
    }
  }

  @Test
  void a_charge_gets_what_the_latest_record_of_its_supplier_says() {
    try (JobTest test = JobTest.of(Enrichment.define()).partitions(3)) {
      TestTopic<String, Supplier> suppliers =
          test.topic("suppliers", TEXT, new JsonSerde<>(Supplier.class));
      TestTopic<String, Charge> charges =
          test.topic("charges", TEXT, new JsonSerde<>(Charge.class));
      suppliers.send("A Ltd", new Supplier("GB", "GB01")).send("B Ltd", new Supplier("FR", "FR01"));
      suppliers.send("A Ltd", new Supplier("GB", "GB02"));
      test.run();
      charges.send("1", charge("1", "0.10", "A Ltd")).send("2", charge("2", "5", "C Ltd"));
      test.crashAt(Point.BEFORE_COMMIT).run();
      assertThat(test.crashes()).isEqualTo(1);
      suppliers.send("A Ltd", null);
      test.run();
      charges.send("3", charge("3", "7", "A Ltd"));
      test.run();
      assertThat(test.topic("orders", TEXT, new JsonSerde<>(Order.class)).committed())
          .extracting(TestRecord::value)
          .containsExactlyInAnyOrder(
              new Order("1", new BigDecimal("0.10"), "GB", "GB02"),
              new Order("2", new BigDecimal("5"), null, null),
              new Order("3", new BigDecimal("7"), null, null));
    }
  }

  @Test
  void a_dead_letter_is_repaired_and_goes_round_three_times_at_most() {
    Job amounts = Job.named("amounts").deadLetters("amounts-dead-letters");
    amounts
        .from("amounts", TEXT, TEXT)
        .mapValues(BigDecimal::new)
        .to("totals", TEXT, new Decimals());
    try (JobTest first = JobTest.of(amounts);
        JobTest repair = JobTest.of(DeadLetterRepair.define())) {
      first.topic("amounts", TEXT, TEXT).prepare("a", "£ 12,50").header("trace", "7").send();
      first.topic("amounts", TEXT, TEXT).send("b", "twelve").send("c", "1.250,00");
      for (int round = 0; round < 5; round++) {
        first.run();
        carry(first.topic("amounts-dead-letters", TEXT, TEXT), repair, "amounts-dead-letters");
        repair.run();
        carry(repair.topic("amounts", TEXT, TEXT), first, "amounts");
      }
      List<TestRecord<String, BigDecimal>> totals =
          first.topic("totals", TEXT, new Decimals()).committed();
      assertThat(totals).hasSize(1);
      assertThat(totals.get(0).value()).isEqualByComparingTo("12.50");
      assertThat(totals.get(0).header("trace")).isEqualTo("7");
      List<TestRecord<String, String>> people =
          repair.topic("amounts-for-people", TEXT, TEXT).committed();
      assertThat(people).extracting(TestRecord::value).containsExactly("twelve", "1.250.00");
      assertThat(people.get(1).header("fencepost.reason")).isEqualTo("processing failed");
    }
  }

  @Test
  void the_loop_guard_ends_what_every_repair_leaves_broken() {
    try (JobTest repair = JobTest.of(DeadLetterRepair.define())) {
      repair
          .topic("amounts-dead-letters", TEXT, TEXT)
          .prepare("a", "12,50")
          .header(DeadLetterRepair.ROUNDS, "3")
          .send();
      repair.run();
      assertThat(repair.topic("amounts", TEXT, TEXT).committed()).isEmpty();
      assertThat(repair.topic("amounts-for-people", TEXT, TEXT).committed()).hasSize(1);
    }
  }

  /** What came out of one job since the last call into a topic of the other. */
  private static void carry(TestTopic<String, String> from, JobTest to, String topic) {
    for (TestRecord<String, String> record : from.next()) {
      TestTopic<String, String>.Draft draft =
          to.topic(topic, TEXT, TEXT).prepare(record.key(), record.value());
      for (String header : List.of("trace", "fencepost.reason", DeadLetterRepair.ROUNDS)) {
        String text = record.header(header);
        if (text != null) {
          draft.header(header, text);
        }
      }
      draft.send();
    }
  }

  private static Charge charge(String id, String amount, String supplier) {
    return new Charge(id, "2021-01-04", new BigDecimal(amount), supplier, 0, "f:1");
  }
}
