package io.fencepost.testkit.report;

import io.fencepost.testkit.history.Verdict;

/** Why a verdict is what it is. */
final class VerdictText {
  private VerdictText() {}

  /** Empty for what holds. */
  static String reason(Verdict verdict) {
    if (verdict instanceof Verdict.Fail fail) {
      return fail.sentence();
    }
    if (verdict instanceof Verdict.Unknown unknown) {
      return unknown.witness();
    }
    return verdict instanceof Verdict.Vacuous vacuous ? vacuous.reason() : "";
  }
}
