package io.fencepost.samples.payment;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What did come out: the records that a read_committed reader found on the job's output topics, and
 * the state that its changelog holds. Not thread safe.
 */
public final class Outcome {
  private final Map<String, Long> acceptedTimes = new LinkedHashMap<>();
  private final Map<String, KeyState> states = new LinkedHashMap<>();
  private Tally accepted = Tally.ZERO;
  private Tally duplicateRows = Tally.ZERO;
  private Tally redeliveries = Tally.ZERO;
  private long deadLetters;

  /** A charge was found. */
  public void charge(String key, BigDecimal amount) {
    acceptedTimes.merge(key, 1L, Long::sum);
    accepted = accepted.plus(amount);
  }

  /** A duplicate was found. */
  public void duplicate(BigDecimal amount, boolean redelivery) {
    if (redelivery) {
      redeliveries = redeliveries.plus(amount);
    } else {
      duplicateRows = duplicateRows.plus(amount);
    }
  }

  /** A dead letter was found. */
  public void deadLetter() {
    deadLetters++;
  }

  /** The changelog says so of a key; later entries win. */
  public void state(String key, KeyState state) {
    states.put(key, state);
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

  Map<String, Long> acceptedTimes() {
    return acceptedTimes;
  }

  Map<String, KeyState> states() {
    return states;
  }
}
