package io.fencepost.samples.cli;

import java.io.PrintWriter;

/**
 * One line on stderr that is drawn over and over, and wiped at the end. Draws nothing unless the
 * launcher says that stderr is a terminal. Safe to use from any thread.
 */
final class ProgressBar implements AutoCloseable {
  private static final int CELLS = 30;
  private static final String WIPE = "\r\u001B[K";

  private final PrintWriter err;
  private final boolean visible;

  ProgressBar(PrintWriter err) {
    this.err = err;
    this.visible = Boolean.getBoolean("fencepost.terminal");
  }

  /** {@code total} of 0 means that nobody knows yet. */
  void show(String what, long done, long total) {
    if (!visible) {
      return;
    }
    int full = total == 0 ? 0 : (int) Math.min(CELLS, done * CELLS / total);
    String bar = "#".repeat(full) + ".".repeat(CELLS - full);
    String of = total == 0 ? "" : " of %,d".formatted(total);
    err.print("%s[%s] %s: %,d%s".formatted(WIPE, bar, what, done, of));
    err.flush();
  }

  @Override
  public void close() {
    if (visible) {
      err.print(WIPE);
      err.flush();
    }
  }
}
