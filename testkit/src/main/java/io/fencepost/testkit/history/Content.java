package io.fencepost.testkit.history;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * What a record says of itself beyond its value; empty where it does not say.
 *
 * @param key what it is deduplicated or compacted by
 * @param origin the input record that it was made of, as {@link Origin} has it
 * @param amount what must not be lost, a decimal number
 */
public record Content(String key, String origin, String amount) {
  /** Nothing is said. */
  public static final Content NONE = new Content("", "", "");

  private static final int DIGITS_MAX = 100;

  boolean isNone() {
    return key.isEmpty() && origin.isEmpty() && amount.isEmpty();
  }

  /** What is said, or else what the value says if it is a {@link Posting}. */
  static Content of(Event.Read read) {
    return read.content().isNone() ? inValue(read.value()) : read.content();
  }

  private static Content inValue(String value) {
    Posting posting = Posting.parseIfAny(value);
    return posting == null
        ? NONE
        : new Content(posting.key().toString(), posting.origin(), posting.amount().toPlainString());
  }

  /** Reads an amount; null if it is none, or longer than any that is meant. */
  public static @Nullable BigDecimal amount(String text) {
    try {
      BigDecimal amount = new BigDecimal(text);
      boolean isLong = amount.precision() > DIGITS_MAX || Math.abs(amount.scale()) > DIGITS_MAX;
      return isLong ? null : amount;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /** Whether nothing that both say differs. */
  boolean agreesWith(Content other) {
    return (key.isEmpty() || other.key.isEmpty() || key.equals(other.key)) && hasAmountOf(other);
  }

  /** Whether the amounts are equal, if both say one. */
  boolean hasAmountOf(Content other) {
    return amount.isEmpty()
        || other.amount.isEmpty()
        || amount.equals(other.amount)
        || new BigDecimal(amount).compareTo(new BigDecimal(other.amount)) == 0;
  }

  @Override
  public String toString() {
    return said("key", key) + said("origin", origin) + said("amount", amount);
  }

  private static String said(String name, String text) {
    return text.isEmpty() ? "" : "(" + name + " " + text + ")";
  }
}
