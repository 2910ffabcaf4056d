package io.fencepost.txn.coordinator;

import io.fencepost.broker.port.Clock;
import io.fencepost.txn.txn.TxnEntry;
import io.fencepost.txn.txn.TxnEvent;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells the operator what a correct client is seldom answered: INVALID_TXN_STATE only if its
 * transaction timed out, a wrong sequence or a stale epoch only if a batch before it failed or
 * another took its place. So it should be possible to find out why. At most once a second, with the
 * number of those that were left out. Thread-safe.
 */
final class Refusals {
  private static final long PAUSE_NANOS = 1_000_000_000;

  private final Clock clock;
  private final Consumer<String> notices;
  private long quietUntilNanos;
  private boolean hasTold;
  private int untold;

  Refusals(Clock clock, Consumer<String> notices) {
    this.clock = clock;
    this.notices = notices;
  }

  /** The coordinator refused the event in this state. */
  void refused(String transactionalId, TxnEvent event, @Nullable TxnEntry entry) {
    tell(
        "Refused "
            + event
            + " of transactional id "
            + transactionalId
            + " with INVALID_TXN_STATE: "
            + (entry == null ? "it is unknown" : describe(entry)));
  }

  private static String describe(TxnEntry entry) {
    return "it is "
        + entry.state().label()
        + " of producer "
        + entry.producer()
        + " (before: "
        + entry.last()
        + ") with partitions "
        + entry.partitions()
        + ", begun at "
        + entry.startMs()
        + ", changed at "
        + entry.updatedMs()
        + ", timeout "
        + entry.timeoutMs()
        + " ms, client version "
        + entry.clientVersion();
  }

  /** Somebody refused something, for this reason. */
  void tell(String sentence) {
    String suffix;
    synchronized (this) {
      long now = clock.monotonicNanos();
      if (hasTold && now - quietUntilNanos < 0) {
        untold++;
        return;
      }
      hasTold = true;
      quietUntilNanos = now + PAUSE_NANOS;
      suffix = untold == 0 ? "" : " (and " + untold + " more since the last notice)";
      untold = 0;
    }
    notices.accept(sentence + suffix);
  }
}
