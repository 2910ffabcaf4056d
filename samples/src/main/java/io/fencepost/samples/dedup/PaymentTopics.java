package io.fencepost.samples.dedup;

import java.util.List;

/**
 * The topics of one run of the job. {@code payments} holds deliveries, {@code charges} each payment
 * once, {@code duplicates} what repeated one, and {@code deadLetters} rows that are no payment.
 */
public record PaymentTopics(
    String payments, String charges, String duplicates, String deadLetters) {

  /** The plain names, with {@code suffix} at the end of each. */
  public static PaymentTopics withSuffix(String suffix) {
    return new PaymentTopics(
        "payments" + suffix,
        "charges" + suffix,
        "payments-duplicates" + suffix,
        "payments-dead-letters" + suffix);
  }

  /** All of them. */
  public List<String> names() {
    return List.of(payments, charges, duplicates, deadLetters);
  }
}
