package io.fencepost.broker.producer;

import io.fencepost.broker.wire.WireError;
import org.jspecify.annotations.Nullable;

/**
 * What the producer rules say about a batch or a marker before it is written. Only {@link Accept}
 * may be written; nothing has changed yet when a verdict is given.
 */
public sealed interface AppendVerdict {
  /** {@link WireError#NONE} for what is accepted and for duplicates. */
  WireError error();

  /** Why it was refused, for the log line and the client; null if it was not. */
  @Nullable String sentence();

  /** Next in sequence, of a valid epoch, in a valid transaction. */
  enum Accept implements AppendVerdict {
    ACCEPT;

    @Override
    public WireError error() {
      return WireError.NONE;
    }

    @Override
    public @Nullable String sentence() {
      return null;
    }
  }

  /** An exact retry: stands in the log already at these offsets (both inclusive). */
  record Duplicate(long baseOffset, long lastOffset, long timestamp) implements AppendVerdict {
    @Override
    public WireError error() {
      return WireError.NONE;
    }

    @Override
    public @Nullable String sentence() {
      return null;
    }
  }

  /** Not the sequence that must come next, and no exact retry. */
  record Gap(long producerId, short epoch, int expectedSequence, int receivedSequence)
      implements AppendVerdict {
    @Override
    public WireError error() {
      return WireError.OUT_OF_ORDER_SEQUENCE_NUMBER;
    }

    @Override
    public String sentence() {
      return "producer "
          + producerId
          + " in epoch "
          + epoch
          + " sent sequence "
          + receivedSequence
          + " where "
          + expectedSequence
          + " must come next";
    }
  }

  /** A newer epoch of this producer id is known. */
  record Fenced(long producerId, short currentEpoch, short receivedEpoch) implements AppendVerdict {
    @Override
    public WireError error() {
      return WireError.INVALID_PRODUCER_EPOCH;
    }

    @Override
    public String sentence() {
      return "producer "
          + producerId
          + " is in epoch "
          + currentEpoch
          + " here and may not write with epoch "
          + receivedEpoch;
    }
  }

  /** A marker by a coordinator that was replaced. */
  record CoordinatorFenced(long producerId, int currentEpoch, int receivedEpoch)
      implements AppendVerdict {
    @Override
    public WireError error() {
      return WireError.TRANSACTION_COORDINATOR_FENCED;
    }

    @Override
    public String sentence() {
      return "a marker for producer "
          + producerId
          + " comes from coordinator epoch "
          + receivedEpoch
          + " but epoch "
          + currentEpoch
          + " has written here";
    }
  }

  /** The batch does not fit the state of its transaction. */
  record WrongTransaction(long producerId, short epoch, String reason) implements AppendVerdict {
    @Override
    public WireError error() {
      return WireError.INVALID_TXN_STATE;
    }

    @Override
    public String sentence() {
      return "producer " + producerId + " in epoch " + epoch + ": " + reason;
    }
  }
}
