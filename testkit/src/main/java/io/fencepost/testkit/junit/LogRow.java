package io.fencepost.testkit.junit;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What stands at one offset of a log.
 *
 * @param transaction the script's name for it; null outside of any, or written by somebody else
 * @param value as text, with its key if it has one; the kind of end for a marker
 */
public record LogRow(long offset, @Nullable String transaction, String value, State state) {
  /** What became of it. */
  public enum State {
    /** Outside of any transaction. */
    PLAIN,
    COMMITTED,
    ABORTED,
    /** Its transaction has not ended. */
    OPEN,
    /** At or above the last stable offset, and written by somebody else. */
    UNDECIDED,
    /** The end of a transaction: takes an offset, and no reader sees it. */
    MARKER,
    /** No record for any reader: a marker of somebody else, or what compaction removed. */
    GAP;

    /** For tables. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What a script knows of an offset. */
  static final class Known {
    private final @Nullable String transaction;
    private final @Nullable String marker;
    private State state;

    private Known(@Nullable String transaction, @Nullable String marker, State state) {
      this.transaction = transaction;
      this.marker = marker;
      this.state = state;
    }

    static Known record(@Nullable String transaction) {
      return new Known(transaction, null, transaction == null ? State.PLAIN : State.OPEN);
    }

    static Known marker(String transaction, boolean commit) {
      return new Known(transaction, commit ? "COMMIT" : "ABORT", State.MARKER);
    }

    void end(String name, boolean commit) {
      if (state == State.OPEN && name.equals(transaction)) {
        state = commit ? State.COMMITTED : State.ABORTED;
      }
    }

    @Nullable String transaction() {
      return transaction;
    }

    @Nullable String marker() {
      return marker;
    }

    State state() {
      return state;
    }
  }
}
