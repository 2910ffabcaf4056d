package io.fencepost.testkit.junit;

import java.util.Locale;
import org.apache.kafka.common.IsolationLevel;

/** Isolation levels by their names in settings. */
final class Isolation {
  private Isolation() {}

  static String name(IsolationLevel level) {
    return level.name().toLowerCase(Locale.ROOT);
  }
}
