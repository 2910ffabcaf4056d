package io.fencepost.samples.payment;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;

/**
 * One payment of one row. Several rows may carry one transaction number: a payment split across
 * cost centres, or a row published twice. The amount is exact, in pounds, and below zero for a
 * credit.
 */
public record Payment(
    LocalDate date,
    String transactionNumber,
    BigDecimal amount,
    String supplier,
    String serviceArea,
    String expensesType) {

  /** The payment as a row in the order of {@link PaymentColumns#NAMES}. */
  public String toRow() {
    return CsvRow.join(
        List.of(
            date.toString(),
            transactionNumber,
            amount.toPlainString(),
            supplier,
            serviceArea,
            expensesType));
  }
}
