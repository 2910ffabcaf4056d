package io.fencepost.samples.payment;

import java.math.BigDecimal;

/** An accepted payment, as it stands on the topic of charges. */
public record Charge(
    String key,
    String transactionNumber,
    String date,
    BigDecimal amount,
    String supplier,
    String source) {

  /** The charge for the first delivery of a key. */
  public static Charge of(String key, Payment payment, Delivery delivery) {
    return new Charge(
        key,
        payment.transactionNumber(),
        payment.date().toString(),
        payment.amount(),
        payment.supplier(),
        delivery.file() + ":" + delivery.line());
  }
}
