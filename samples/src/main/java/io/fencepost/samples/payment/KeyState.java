package io.fencepost.samples.payment;

import java.math.BigDecimal;

/**
 * What the job remembers of a key: the accepted amount, and how many deliveries it has seen.
 * Folding the deliveries of a key in their order gives it, and nothing else may.
 */
public record KeyState(BigDecimal amount, long deliveries) {
  /** The state after one more delivery of the key. */
  public KeyState seenAgain() {
    return new KeyState(amount, deliveries + 1);
  }

  /** Whether both say the same; 1.5 and 1.50 are the same money. */
  public boolean agreesWith(KeyState other) {
    return deliveries == other.deliveries && amount.compareTo(other.amount) == 0;
  }
}
