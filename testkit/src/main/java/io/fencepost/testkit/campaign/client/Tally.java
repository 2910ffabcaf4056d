package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Outcome;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** What became of transactions, and which errors clients met. Thread-safe. */
public final class Tally {
  private final TreeMap<String, Integer> counts = new TreeMap<>();
  private final TreeMap<String, Integer> errors = new TreeMap<>();
  private long written;

  synchronized void ended(boolean commit, Outcome outcome) {
    String end = commit ? "committed" : "aborted";
    counts.merge(
        switch (outcome) {
          case OK -> end;
          case FAILED -> "aborted after an error";
          case UNKNOWN -> "unknown";
        },
        1,
        Integer::sum);
  }

  /** So many records of input are committed for sure, and were not before. */
  synchronized void wrote(int records) {
    written += records;
  }

  synchronized long written() {
    return written;
  }

  synchronized void retried() {
    counts.merge("written again", 1, Integer::sum);
  }

  synchronized void fenced() {
    counts.merge("fenced", 1, Integer::sum);
  }

  synchronized void timedOut() {
    counts.merge("timed out", 1, Integer::sum);
  }

  synchronized void error(RuntimeException error) {
    errors.merge(error.getClass().getSimpleName(), 1, Integer::sum);
  }

  /** Transactions by what became of them. */
  public synchronized SortedMap<String, Integer> counts() {
    return Collections.unmodifiableSortedMap(new TreeMap<>(counts));
  }

  /** Errors by the name of their class. */
  public synchronized SortedMap<String, Integer> errors() {
    return Collections.unmodifiableSortedMap(new TreeMap<>(errors));
  }

  public synchronized int count(String what) {
    return counts.getOrDefault(what, 0);
  }
}
