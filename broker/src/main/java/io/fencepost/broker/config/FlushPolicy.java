package io.fencepost.broker.config;

import java.util.Locale;

/** What an acknowledged write means. */
public enum FlushPolicy {
  /** It is on disk; many writers share one force. */
  GROUP,
  /** It is in the page cache: it survives the process, not the machine. */
  OS;

  /** The value of the setting {@code flush}. */
  public static FlushPolicy of(String value) {
    return valueOf(value.trim().toUpperCase(Locale.ROOT));
  }
}
