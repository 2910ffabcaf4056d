package io.fencepost.samples.payment;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Payments as a city publishes them, from a seed: payments split over cost centres, rows published
 * twice, credits, and look-alikes (same date, amount and supplier, but another payment). A few rows
 * in ten thousand are broken. Not thread safe.
 */
public final class PaymentGenerator implements Iterator<Delivery> {
  private static final LocalDate FIRST_DAY = LocalDate.of(2021, 1, 4);
  private static final int ROWS_A_DAY = 150;
  private static final List<String> SUPPLIERS =
      List.of(
          "Northgate Catering Ltd",
          "Harbour Street School",
          "Bright & Sons Electrical Ltd",
          "Calder Valley Transport plc",
          "Ashworth, Greene and Moss LLP",
          "Rowan House Care Services Ltd",
          "Pennine Waste Solutions Ltd",
          "The \"Old Mill\" Community Trust",
          "Weaver Street Medical Centre",
          "Kestrel Software Limited",
          "Irwell Bridge Construction Ltd",
          "Lantern Youth Services CIC");
  private static final List<String> AREAS =
      List.of(
          "Adult Social Care",
          "Chief Executives",
          "Corporate Services",
          "Environment and Operations",
          "Leisure and Parks",
          "Regeneration Finance");
  private static final List<String> TYPES =
      List.of(
          "Agency staff provision",
          "Clothes, Uniform and Laundry",
          "Construction Works",
          "Electricity",
          "Payments for services",
          "Professional fees");

  private final SplittableRandom chance;
  private final long rowCount;
  private long row;
  private long number;
  private @Nullable Payment last;

  /** Generates {@code rowCount} rows. Same seed and count: same rows. */
  public PaymentGenerator(long seed, long rowCount) {
    this.chance = new SplittableRandom(seed);
    this.rowCount = rowCount;
    this.number = 5_100_000_000L + chance.nextInt(1_000_000);
  }

  @Override
  public boolean hasNext() {
    return row < rowCount;
  }

  @Override
  public Delivery next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    row++;
    Payment payment = payment();
    last = payment;
    int draw = chance.nextInt(10_000);
    String text = draw < 5 ? broken(payment, draw) : payment.toRow();
    return new Delivery("generated", row, 0, PaymentColumns.NAMES.size(), text);
  }

  private Payment payment() {
    int draw = chance.nextInt(1_000);
    Payment before = last;
    if (before != null && draw < 5) {
      return before;
    }
    if (before != null && draw < 30) {
      return new Payment(
          before.date(),
          before.transactionNumber(),
          amount(20_000),
          before.supplier(),
          oneOf(AREAS),
          oneOf(TYPES));
    }
    number += 1 + chance.nextInt(9);
    if (before != null && draw < 100) {
      return new Payment(
          before.date(),
          Long.toString(number),
          before.amount(),
          before.supplier(),
          before.serviceArea(),
          before.expensesType());
    }
    BigDecimal amount = draw < 125 ? amount(5_000).negate() : amount(draw < 150 ? 900_000 : 9_000);
    return new Payment(
        FIRST_DAY.plusDays(row / ROWS_A_DAY),
        Long.toString(number),
        amount,
        oneOf(SUPPLIERS),
        oneOf(AREAS),
        oneOf(TYPES));
  }

  private BigDecimal amount(int poundsMax) {
    return BigDecimal.valueOf(500_00L + chance.nextInt(poundsMax) * 100L + chance.nextInt(100), 2);
  }

  private static String broken(Payment payment, int how) {
    String row = payment.toRow();
    return switch (how) {
      case 0 -> row.replace(payment.date().toString(), "2021-02-30");
      case 1 -> row.replace(payment.amount().toPlainString(), "n/a");
      case 2 -> row.substring(0, row.lastIndexOf(','));
      case 3 -> row.replace(payment.transactionNumber(), "");
      default -> row + "\"";
    };
  }

  private String oneOf(List<String> choices) {
    return choices.get(chance.nextInt(choices.size()));
  }
}
