package io.fencepost.samples.payment;

import java.math.BigDecimal;

/**
 * A payment as it leaves the job: accepted, or set aside as a duplicate. {@code attempt} counts how
 * often its row had been sent before, {@code source} says where the row stands.
 */
public record Charge(
    String transactionNumber,
    String date,
    BigDecimal amount,
    String supplier,
    int attempt,
    String source) {

  /** The charge for a delivered payment. */
  public static Charge of(Payment payment, Delivery delivery) {
    return new Charge(
        payment.transactionNumber(),
        payment.date().toString(),
        payment.amount(),
        payment.supplier(),
        delivery.attempt(),
        delivery.source());
  }
}
