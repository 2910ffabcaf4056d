package io.fencepost.samples.payment;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The oracle: what must come out, worked out from the deliveries alone while they are published,
 * without a broker. Not thread safe.
 */
public final class InputFold {
  private final DedupKey dedupKey;
  private final Map<String, Long> firstSeen = new LinkedHashMap<>();
  private final Map<String, String> firstNumberOfContent = new LinkedHashMap<>();
  private final Set<String> numbersUnderKey = new LinkedHashSet<>();
  private Tally accepted = Tally.ZERO;
  private Tally duplicateRows = Tally.ZERO;
  private Tally redeliveries = Tally.ZERO;
  private long redelivered;
  private long deadLetters;
  private long lookAlikes;
  private Tally wronglyDropped = Tally.ZERO;
  private long deliveries;

  /** A fold by this key. */
  public InputFold(DedupKey dedupKey) {
    this.dedupKey = dedupKey;
  }

  /** Takes the next delivery and answers how its row reads; {@code sentAt} is its record's time. */
  public ReadPayment add(Delivery delivery, long sentAt) {
    deliveries++;
    redelivered += delivery.isRedelivery() ? 1 : 0;
    ReadPayment read = ReadPayment.of(delivery);
    Payment payment = read.payment();
    if (payment == null) {
      deadLetters++;
    } else {
      add(delivery, payment, sentAt);
    }
    return read;
  }

  private void add(Delivery delivery, Payment payment, long sentAt) {
    BigDecimal amount = payment.amount();
    String key = dedupKey.of(payment);
    String number = payment.transactionNumber();
    String first = firstNumberOfContent.putIfAbsent(DedupKey.contentOf(payment), number);
    boolean lookAlike = first != null && !first.equals(number);
    boolean isNewNumber = numbersUnderKey.add(key + '|' + number);
    if (firstSeen.putIfAbsent(key, sentAt) == null) {
      accepted = accepted.plus(amount);
      lookAlikes += lookAlike ? 1 : 0;
      return;
    }
    if (delivery.isRedelivery()) {
      redeliveries = redeliveries.plus(amount);
    } else {
      duplicateRows = duplicateRows.plus(amount);
      if (isNewNumber) {
        wronglyDropped = wronglyDropped.plus(amount);
      }
    }
  }

  /** All deliveries, redeliveries too. */
  public long deliveries() {
    return deliveries;
  }

  /** Deliveries that repeat an earlier one. */
  public long redelivered() {
    return redelivered;
  }

  /** The first delivery of each key. */
  public Tally accepted() {
    return accepted;
  }

  /** Rows whose key came before in the input itself. */
  public Tally duplicateRows() {
    return duplicateRows;
  }

  /** Redelivered payments. */
  public Tally redeliveries() {
    return redeliveries;
  }

  /** Deliveries that are no payment. */
  public long deadLetters() {
    return deadLetters;
  }

  /** Accepted payments that equal an earlier one in date, amount and supplier but are another. */
  public long lookAlikes() {
    return lookAlikes;
  }

  /** Payments that the chosen key takes for another payment with its own transaction number. */
  public Tally wronglyDropped() {
    return wronglyDropped;
  }

  /** The state that the job must end with: each key and the time of its first delivery. */
  public Map<String, Long> firstSeen() {
    return Collections.unmodifiableMap(firstSeen);
  }
}
