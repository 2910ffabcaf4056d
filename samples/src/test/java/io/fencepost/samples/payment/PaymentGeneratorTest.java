package io.fencepost.samples.payment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class PaymentGeneratorTest {
  private static final long SEED = 7;

  @Test
  void the_same_seed_gives_the_same_rows_and_redeliveries() {
    assertThat(delivered(SEED, 3_000)).isEqualTo(delivered(SEED, 3_000));
    assertThat(delivered(SEED, 3_000)).isNotEqualTo(delivered(SEED + 1, 3_000));
  }

  @Test
  void everything_that_makes_deduplication_hard_is_in_the_rows() {
    InputFold fold = fold(DedupKey.TRANSACTION_NUMBER, SEED, 20_000);
    assertThat(fold.duplicateRows().count()).as("splits and repeated rows").isPositive();
    assertThat(fold.redeliveries().count()).isPositive();
    assertThat(fold.lookAlikes()).isPositive();
    assertThat(fold.deadLetters()).isPositive();
    assertThat(delivered(SEED, 20_000))
        .extracting(ReadPayment::of)
        .extracting(ReadPayment::payment)
        .anyMatch(payment -> payment != null && payment.amount().signum() < 0);
  }

  @Test
  void the_business_key_drops_nothing_wrongly_and_the_content_key_does() {
    assertThat(fold(DedupKey.TRANSACTION_NUMBER, SEED, 20_000).wronglyDropped())
        .isEqualTo(Tally.ZERO);
    assertThat(fold(DedupKey.CONTENT, SEED, 20_000).wronglyDropped().count()).isPositive();
  }

  @Test
  void every_row_is_delivered_and_redeliveries_come_after_their_row() {
    List<Delivery> deliveries = delivered(SEED, 2_000);
    List<Delivery> firsts = deliveries.stream().filter(d -> !d.isRedelivery()).toList();
    assertThat(firsts).hasSize(2_000).doesNotHaveDuplicates();
    List<Delivery> seen = new ArrayList<>();
    for (Delivery delivery : deliveries) {
      if (delivery.isRedelivery()) {
        assertThat(seen)
            .contains(
                new Delivery(
                    delivery.file(),
                    delivery.line(),
                    delivery.attempt() - 1,
                    delivery.columns(),
                    delivery.row()));
      }
      seen.add(delivery);
    }
    assertThat(deliveries.size() - firsts.size()).isBetween(100, 400);
  }

  @Test
  void no_share_means_no_redelivery() {
    Iterator<Delivery> all = new Redeliveries(new PaymentGenerator(SEED, 100), 0, SEED);
    List<Delivery> deliveries = new ArrayList<>();
    all.forEachRemaining(deliveries::add);
    assertThat(deliveries).hasSize(100).noneMatch(Delivery::isRedelivery);
  }

  private static List<Delivery> delivered(long seed, long rows) {
    List<Delivery> deliveries = new ArrayList<>();
    new Redeliveries(new PaymentGenerator(seed, rows), 0.1, seed).forEachRemaining(deliveries::add);
    return deliveries;
  }

  private static InputFold fold(DedupKey key, long seed, long rows) {
    InputFold fold = new InputFold(key);
    for (Delivery delivery : delivered(seed, rows)) {
      fold.add(delivery, 0);
    }
    return fold;
  }
}
