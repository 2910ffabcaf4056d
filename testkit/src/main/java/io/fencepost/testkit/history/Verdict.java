package io.fencepost.testkit.history;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What a check says of a history. */
public sealed interface Verdict {
  /** The invariant held, on this many occasions on which it could have been broken. */
  record Pass(long occasions) implements Verdict {}

  /**
   * The history gave the invariant no chance to be broken: this proves nothing.
   *
   * @param reason what is missing; empty if the check leaves that to {@link Verification}
   */
  record Vacuous(String reason) implements Verdict {}

  /**
   * The history does not say enough to tell.
   *
   * @param events because of which
   */
  record Unknown(String reason, List<Event> events) implements Verdict {
    public Unknown(String reason) {
      this(reason, List.of());
    }

    /** Reason and events in one line. */
    public String witness() {
      return inOneLine(reason, events);
    }
  }

  /**
   * The invariant was broken.
   *
   * @param sentence what is wrong
   * @param events the smallest set that shows it
   */
  record Fail(String sentence, List<Event> events, Ground ground) implements Verdict {
    /** Sentence and events in one line. */
    public String witness() {
      return inOneLine(sentence, events);
    }
  }

  private static String inOneLine(String sentence, List<Event> events) {
    return events.isEmpty()
        ? sentence
        : events.stream()
            .map(Event::toString)
            .collect(Collectors.joining("; ", sentence + ": ", ""));
  }

  /** What a failure rests on. */
  enum Ground {
    /** On events alone: no further event could make it good. */
    SEEN,
    /** Also on an event that is not in the history: it could stand in a line that is lost. */
    ABSENCE,
    /** On something that never came: it could still come unless the history is finished. */
    END
  }

  /** A failure that these events show, whatever else there may be. */
  static Fail broken(String sentence, Event... events) {
    return new Fail(sentence, List.of(events), Ground.SEEN);
  }

  /** A failure by these events and by one that is not there. */
  static Fail missing(String sentence, Event... events) {
    return new Fail(sentence, List.of(events), Ground.ABSENCE);
  }

  /** A failure by these events and by one that never came. */
  static Fail unfinished(String sentence, Event... events) {
    return new Fail(sentence, List.of(events), Ground.END);
  }

  /** One word for reports. */
  default String label() {
    if (this instanceof Fail) {
      return "FAIL";
    }
    if (this instanceof Unknown) {
      return "unknown";
    }
    return this instanceof Vacuous ? "vacuous" : "pass";
  }

  /** Whether nothing is wrong: passed or vacuous. */
  default boolean holds() {
    return this instanceof Pass || this instanceof Vacuous;
  }

  /** Those that are failures. */
  static SortedMap<String, Fail> failures(Map<String, Verdict> verdicts) {
    TreeMap<String, Fail> failures = new TreeMap<>();
    verdicts.forEach(
        (id, verdict) -> {
          if (verdict instanceof Fail fail) {
            failures.put(id, fail);
          }
        });
    return failures;
  }

  /** Pass, or vacuous if there was no occasion. */
  static Verdict passed(long occasions) {
    return occasions == 0 ? new Vacuous("") : new Pass(occasions);
  }
}
