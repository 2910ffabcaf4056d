package io.fencepost.samples.payment;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.samples.report.Finding;
import io.fencepost.samples.report.Finding.Verdict;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A correct output passes, and each way to be wrong fails its own check. */
class LedgerCheckTest {
  private static final String PAYMENT = "2021-01-04,%s,%s,Northgate Ltd,Leisure,Staff";

  private final InputFold input = new InputFold(DedupKey.TRANSACTION_NUMBER);
  private final Outcome output = new Outcome();
  private final Delivery first = delivery(1, 0, PAYMENT.formatted("1", "10.10"));
  private final Delivery lookAlike = delivery(2, 0, PAYMENT.formatted("2", "10.10"));
  private final Delivery split = delivery(3, 0, PAYMENT.formatted("1", "5.05"));
  private final Delivery bad = delivery(4, 0, "2021-01-04,3");

  @BeforeEach
  void publish() {
    input.add(first, 100);
    input.add(lookAlike, 200);
    input.add(split, 300);
    input.add(bad, 400);
    input.add(first.again(), 500);
    output.charge("1", charge(first));
    output.charge("2", charge(lookAlike));
    output.duplicate(charge(split));
    output.duplicate(charge(first.again()));
    output.deadLetter(bad);
    output.state("1", 100L);
    output.state("2", 200L);
  }

  @Test
  void a_correct_output_passes_all() {
    assertThat(failed()).isEmpty();
    assertThat(input.lookAlikes()).isEqualTo(1);
    assertThat(input.accepted().sum()).isEqualByComparingTo("20.20");
  }

  @Test
  void a_second_charge_for_a_key_is_seen() {
    output.charge("2", charge(lookAlike));
    assertThat(failed())
        .contains(
            "each key accepted exactly once",
            "accepted + duplicates + dead letters = input",
            "money conserved, in exact decimals");
  }

  @Test
  void a_charge_that_nobody_asked_for_is_seen() {
    output.charge("99", charge(lookAlike));
    assertThat(failed()).contains("each key accepted exactly once");
  }

  @Test
  void a_lost_dead_letter_is_seen() {
    input.add(bad, 600);
    assertThat(failed()).containsExactly("accepted + duplicates + dead letters = input");
  }

  @Test
  void a_missing_key_is_seen_everywhere() {
    input.add(delivery(5, 0, PAYMENT.formatted("5", "0.01")), 600);
    assertThat(failed())
        .containsExactly(
            "each key accepted exactly once",
            "accepted + duplicates + dead letters = input",
            "money conserved, in exact decimals",
            "state = fold of the input");
  }

  @Test
  void a_penny_too_much_is_seen() {
    Outcome wrong = new Outcome();
    wrong.charge("1", charge(delivery(1, 0, PAYMENT.formatted("1", "10.11"))));
    wrong.charge("2", charge(lookAlike));
    wrong.duplicate(charge(split));
    wrong.duplicate(charge(first.again()));
    wrong.deadLetter(bad);
    wrong.state("1", 100L);
    wrong.state("2", 200L);
    assertThat(failed(wrong)).containsExactly("money conserved, in exact decimals");
  }

  @Test
  void a_redelivery_that_is_taken_for_a_row_is_seen() {
    Outcome wrong = new Outcome();
    wrong.charge("1", charge(first));
    wrong.charge("2", charge(lookAlike));
    wrong.duplicate(charge(split));
    wrong.duplicate(charge(first));
    wrong.deadLetter(bad);
    wrong.state("1", 100L);
    wrong.state("2", 200L);
    assertThat(failed(wrong))
        .containsExactly("duplicates of the input and redeliveries told apart");
  }

  @Test
  void a_state_that_forgot_or_confused_a_key_is_seen() {
    output.state("2", 999L);
    assertThat(failed()).containsExactly("state = fold of the input");
    output.state("2", 200L);
    assertThat(failed()).isEmpty();
    output.state("no such key", 1L);
    assertThat(failed()).containsExactly("state = fold of the input");

    Outcome forgetful = new Outcome();
    forgetful.charge("1", charge(first));
    forgetful.charge("2", charge(lookAlike));
    forgetful.duplicate(charge(split));
    forgetful.duplicate(charge(first));
    forgetful.deadLetter(bad);
    forgetful.state("1", 100L);
    assertThat(failed(forgetful)).contains("state = fold of the input");
  }

  @Test
  void the_report_prints_figures_dead_letters_and_the_verdict() {
    PaymentsReport report =
        PaymentsReport.of(
            DedupKey.TRANSACTION_NUMBER,
            input,
            output,
            new PaymentsReport.Work(3, 0, 0.5, "Guarantee: exactly once\n"));
    assertThat(report.passes()).isTrue();
    assertThat(report.toString())
        .isEqualTo(
            """
            WHAT                      COUNT  SUM GBP
            rows of the input             4    25.25
            redelivered                   1    10.10
            accepted                      2    20.20
            duplicates in the input       1     5.05
            duplicates by redelivery      1    10.10
            dead letters                  1        -

            dead letter  f.csv:4: 2 columns instead of 6
            key transaction_number: 1 payments that equal another in date, amount and supplier were kept

            3 transactions, 0 aborted, 0.5 s, 10 records/s

            ok      each key accepted exactly once: 2 keys, 0 more than once, 0 missing, 0 unknown
            ok      accepted + duplicates + dead letters = input: 2 + 2 + 1 = 5 of 5
            ok      money conserved, in exact decimals: 35.35 in, 20.20 accepted + 15.15 duplicates out
            ok      duplicates of the input and redeliveries told apart: 1 in the input, 1 redelivered
            ok      state = fold of the input: 2 keys in the changelog, 0 differ
            5 of 5 checks hold

            Guarantee: exactly once
            """);
  }

  private static Delivery delivery(long line, int attempt, String row) {
    return new Delivery("f.csv", line, attempt, 6, row);
  }

  private static Charge charge(Delivery delivery) {
    return Charge.of(Objects.requireNonNull(ReadPayment.of(delivery).payment()), delivery);
  }

  private List<String> failed() {
    return failed(output);
  }

  private List<String> failed(Outcome outcome) {
    return LedgerCheck.compare(input, outcome).stream()
        .filter(finding -> finding.verdict() == Verdict.FAILS)
        .map(Finding::claim)
        .toList();
  }
}
