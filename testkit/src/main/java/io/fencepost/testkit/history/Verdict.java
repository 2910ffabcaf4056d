package io.fencepost.testkit.history;

/** What a check says of a history. */
public sealed interface Verdict {
  /** The invariant held, on this many occasions on which it could have been broken. */
  record Pass(long occasions) implements Verdict {}

  /** The history gave the invariant no chance to be broken: this proves nothing. */
  record Vacuous() implements Verdict {}

  /** The invariant was broken; the witness is the smallest set of facts that shows it. */
  record Fail(String witness) implements Verdict {}

  /** One word for reports. */
  default String label() {
    if (this instanceof Fail) {
      return "FAIL";
    }
    return this instanceof Vacuous ? "vacuous" : "pass";
  }

  /** Pass, or vacuous if there was no occasion. */
  static Verdict passed(long occasions) {
    return occasions == 0 ? new Vacuous() : new Pass(occasions);
  }
}
