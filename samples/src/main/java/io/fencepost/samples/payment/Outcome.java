package io.fencepost.samples.payment;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What did come out: the records that a read_committed reader found on the job's output topics, and
 * the state that its changelog holds. Not thread safe.
 */
public final class Outcome {
  private static final int DEAD_LETTERS_SHOWN = 5;

  private final Map<String, Long> acceptedTimes = new LinkedHashMap<>();
  private final Map<String, Long> firstSeen = new LinkedHashMap<>();
  private Tally accepted = Tally.ZERO;
  private Tally duplicateRows = Tally.ZERO;
  private Tally redeliveries = Tally.ZERO;
  private long deadLetters;
  private final List<String> firstDeadLetters = new ArrayList<>();

  /** A charge was found under its key. */
  public void charge(String key, Charge charge) {
    acceptedTimes.merge(key, 1L, Long::sum);
    accepted = accepted.plus(charge.amount());
  }

  /** A duplicate was found: a payment whose key was accepted before. */
  public void duplicate(Charge duplicate) {
    if (duplicate.attempt() > 0) {
      redeliveries = redeliveries.plus(duplicate.amount());
    } else {
      duplicateRows = duplicateRows.plus(duplicate.amount());
    }
  }

  /** A dead letter was found. */
  public void deadLetter(Delivery delivery) {
    deadLetters++;
    if (firstDeadLetters.size() < DEAD_LETTERS_SHOWN) {
      firstDeadLetters.add(delivery.source() + ": " + ReadPayment.of(delivery).problem());
    }
  }

  /** The changelog says when a key was first seen; later entries win. */
  public void state(String key, long firstSeenAt) {
    firstSeen.put(key, firstSeenAt);
  }

  Tally accepted() {
    return accepted;
  }

  Tally duplicateRows() {
    return duplicateRows;
  }

  Tally redeliveries() {
    return redeliveries;
  }

  long deadLetters() {
    return deadLetters;
  }

  List<String> firstDeadLetters() {
    return firstDeadLetters;
  }

  Map<String, Long> acceptedTimes() {
    return acceptedTimes;
  }

  Map<String, Long> firstSeen() {
    return firstSeen;
  }
}
