package io.fencepost.testkit.net;

import io.fencepost.broker.wire.ApiKey;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Decides which answers never reach the client. Asked once for each answer that has come from the
 * broker, by any of the proxy's threads.
 */
@FunctionalInterface
public interface CutPlan {
  /** No answer is lost. */
  CutPlan NONE = api -> false;

  /** Whether to cut the connection instead of passing this answer on. */
  boolean cuts(ApiKey api);

  /**
   * Cuts a share of the answers to one API. The first {@code warmUp} of them are spared. With one
   * connection the same seed cuts the same answers.
   */
  static CutPlan seeded(ApiKey victim, double rate, int warmUp, long seed) {
    AtomicLong asked = new AtomicLong();
    return api -> {
      if (api != victim) {
        return false;
      }
      long turn = asked.getAndIncrement();
      return turn >= warmUp && draw(seed, turn) < rate;
    };
  }

  /** A number from 0 to below 1 that depends on seed and turn only. */
  private static double draw(long seed, long turn) {
    long bits = seed + (turn + 1) * 0x9E3779B97F4A7C15L;
    bits = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
    bits = (bits ^ (bits >>> 27)) * 0x94D049BB133111EBL;
    return ((bits ^ (bits >>> 31)) >>> 11) * 0x1.0p-53;
  }
}
