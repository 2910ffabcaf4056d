package io.fencepost.broker.check;

import io.fencepost.broker.check.Finding.Severity;

/** Hears what a check finds, while it goes on. */
@FunctionalInterface
public interface Findings {
  void add(Finding finding);

  default void damage(String file, long position, String sentence) {
    add(new Finding(Severity.DAMAGE, file, position, sentence));
  }

  default void repairable(String file, long position, String sentence) {
    add(new Finding(Severity.REPAIRABLE, file, position, sentence));
  }
}
