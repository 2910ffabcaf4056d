package io.fencepost.samples.payment;

import java.math.BigDecimal;

/** A payment whose key was accepted before: by an earlier row, or by an earlier delivery of its own row. */
public record Duplicate(String key, BigDecimal amount, int attempt, String source) {
  /** The duplicate that this delivery is. */
  public static Duplicate of(String key, Payment payment, Delivery delivery) {
    return new Duplicate(
        key, payment.amount(), delivery.attempt(), delivery.file() + ":" + delivery.line());
  }
}
