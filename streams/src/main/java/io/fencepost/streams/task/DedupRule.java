package io.fencepost.streams.task;

import org.jspecify.annotations.Nullable;

/**
 * Whether a key repeats, as a function of event times only, so that the answer does not depend on
 * when old entries are really deleted. With R = retention and N = newest accepted time:
 *
 * <pre>
 * an entry is remembered while  seen + 2R >= N      (older ones may be deleted at any time)
 * remembered and time <= seen + R    REPEATED
 * else time < N - R                  UNKNOWABLE     (its first sight may be forgotten)
 * else                               FIRST
 * </pre>
 */
final class DedupRule {
  enum Verdict {
    FIRST,
    REPEATED,
    UNKNOWABLE
  }

  private DedupRule() {}

  static Verdict judge(@Nullable Long seenMs, long timeMs, long newestMs, long retentionMs) {
    if (seenMs != null
        && isRemembered(seenMs, newestMs, retentionMs)
        && timeMs <= plus(seenMs, retentionMs)) {
      return Verdict.REPEATED;
    }
    return plus(timeMs, retentionMs) < newestMs ? Verdict.UNKNOWABLE : Verdict.FIRST;
  }

  static boolean isRemembered(long seenMs, long newestMs, long retentionMs) {
    return plus(plus(seenMs, retentionMs), retentionMs) >= newestMs;
  }

  /** Nothing that was seen before this time is remembered; {@code Long.MIN_VALUE} if all is. */
  static long forgottenBeforeMs(long newestMs, long retentionMs) {
    return retentionMs > Long.MAX_VALUE / 4
        ? Long.MIN_VALUE
        : Math.max(newestMs, Long.MIN_VALUE / 4) - 2 * retentionMs;
  }

  private static long plus(long a, long b) {
    long sum = a + b;
    return a > 0 && b > 0 && sum < 0 ? Long.MAX_VALUE : sum;
  }
}
