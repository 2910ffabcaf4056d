package io.fencepost.samples.client;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Names for runs that share a cluster. */
public final class RunId {
  private RunId() {}

  /** A name by the time of day and this process: {@code 1129-201530-4711}. */
  public static String next() {
    return DateTimeFormatter.ofPattern("MMdd-HHmmss").format(LocalDateTime.now(ZoneOffset.UTC))
        + "-"
        + ProcessHandle.current().pid();
  }
}
