package io.fencepost.streams.task;

import io.fencepost.streams.Timer;
import io.fencepost.streams.operators.ClosedWindow;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A piece of an operator's work whose time has come.
 *
 * @param key of the timer or of the window
 * @param name tells several of one key apart
 * @param timeMs when it was due
 * @param window what closes; null for a timer
 */
record Due(Timer.Kind kind, byte[] key, String name, long timeMs, @Nullable ClosedWindow window) {
  private static final int DIGEST_BYTES = 12;

  static Due timer(Timer.Kind kind, byte[] key, String name, long timeMs) {
    return new Due(kind, key, name, timeMs, null);
  }

  static Due closing(ClosedWindow window) {
    String name = "[" + window.startMs() + ", " + window.endMs() + ")";
    return new Due(Timer.Kind.EVENT_TIME, window.key(), name, window.dueMs(), window);
  }

  /** For messages to people. */
  String what() {
    return (window == null ? "timer " : "window ") + name;
  }

  /** Tells those of one time apart in a few characters. */
  String digest() {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      sha.update((kind + "/" + name + "/").getBytes(StandardCharsets.UTF_8));
      sha.update(key);
      return HexFormat.of().formatHex(sha.digest(), 0, DIGEST_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** What would be lost with it. */
  byte @Nullable [] value() {
    return window == null ? null : window.aggregate();
  }
}
