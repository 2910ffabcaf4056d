package io.fencepost.samples.payment;

import java.math.BigDecimal;

/** How many, and how much money in exact pounds. */
public record Tally(long count, BigDecimal sum) {
  /** Nothing at all. */
  public static final Tally ZERO = new Tally(0, BigDecimal.ZERO);

  /** One more of {@code amount}. */
  public Tally plus(BigDecimal amount) {
    return new Tally(count + 1, sum.add(amount));
  }

  /** Both together. */
  public Tally plus(Tally other) {
    return new Tally(count + other.count, sum.add(other.sum));
  }

  /** Whether count and money agree; 1.5 and 1.50 are the same money. */
  public boolean agreesWith(Tally other) {
    return count == other.count && sum.compareTo(other.sum) == 0;
  }
}
