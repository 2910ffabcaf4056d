package io.fencepost.samples.payment;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to reading a delivery: a payment, or the reason why its row is none. Exactly one of
 * the two is there.
 */
public record ReadPayment(@Nullable Payment payment, @Nullable String problem) {
  private static final int DIGITS_MAX = 18;

  /** Reads the row of a delivery. */
  public static ReadPayment of(Delivery delivery) {
    if (delivery.row().indexOf('\uFFFD') >= 0) {
      return bad("bytes that are not UTF-8");
    }
    CsvRow.Split split = CsvRow.split(delivery.row());
    if (split.problem() != null) {
      return bad("bad quoting: " + split.problem());
    }
    List<String> fields = split.fields();
    if (fields.size() != delivery.columns()) {
      return bad(fields.size() + " columns instead of " + delivery.columns());
    }
    LocalDate date = date(fields.get(0));
    if (date == null) {
      return bad("payment_date '" + fields.get(0) + "' is no date like 2021-10-01");
    }
    if (fields.get(1).isBlank()) {
      return bad("transaction_number is empty");
    }
    BigDecimal amount = amount(fields.get(2));
    if (amount == null) {
      return bad("net_amount_gbp '" + fields.get(2) + "' is no amount like 1234.56");
    }
    return new ReadPayment(
        new Payment(
            date, fields.get(1).strip(), amount, fields.get(3), fields.get(4), fields.get(5)),
        null);
  }

  private static ReadPayment bad(String problem) {
    return new ReadPayment(null, problem);
  }

  private static @Nullable LocalDate date(String text) {
    try {
      return LocalDate.parse(text.strip());
    } catch (DateTimeParseException e) {
      return null;
    }
  }

  /** Pounds with two decimals at most. No exponents: 1E9 in a payments file is a mistake. */
  private static @Nullable BigDecimal amount(String text) {
    String digits = text.strip();
    int start = digits.startsWith("-") ? 1 : 0;
    int point = digits.indexOf('.');
    int whole = (point < 0 ? digits.length() : point) - start;
    int decimals = point < 0 ? 0 : digits.length() - point - 1;
    boolean shape =
        whole >= 1 && whole <= DIGITS_MAX && decimals <= 2 && (point < 0 || decimals >= 1);
    for (int i = start; shape && i < digits.length(); i++) {
      char c = digits.charAt(i);
      shape = i == point || (c >= '0' && c <= '9');
    }
    return shape ? new BigDecimal(digits) : null;
  }
}
