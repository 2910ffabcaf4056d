package io.fencepost.streams.task;

import io.fencepost.streams.TryAgainLater;
import io.fencepost.streams.store.StoreFailure;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.IllegalGenerationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.InvalidTxnTimeoutException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TransactionAbortableException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;

/**
 * What an error means for the cycle. The only place that looks at exceptions; causes are unwrapped,
 * the outermost one that says something decides.
 */
public enum FailureClass {
  /** The same call may succeed later: time-outs, moving leaders and coordinators. */
  RETRY,
  /** The transaction is lost but the producer is not: abort, rewind all its partitions, go on. */
  ABORT_AND_REWIND,
  /**
   * This producer is of no more use, and the fate of its transaction is unknown: a new producer,
   * then the committed offsets tell. Also for client errors that say nothing, as a new producer
   * repairs most.
   */
  FENCED,
  /** Another process has this worker's place in the group (KIP-345): this one ends. */
  REPLACED,
  /** No repetition helps. */
  FATAL;

  public static FailureClass of(Throwable error) {
    boolean isClient = false;
    for (Throwable cause = error; cause != null; cause = next(cause)) {
      FailureClass known = known(cause);
      if (known != null) {
        return known;
      }
      isClient |= cause instanceof KafkaException;
    }
    return isClient ? FENCED : FATAL;
  }

  /** The error that decided, for messages: the outermost one that is more than a wrapper. */
  public static Throwable telling(Throwable error) {
    for (Throwable cause = error; cause != null; cause = next(cause)) {
      if (known(cause) != null) {
        return cause;
      }
    }
    return error;
  }

  /** Someone asked this thread to end. */
  static boolean isInterrupt(Throwable error) {
    return error instanceof InterruptException;
  }

  private static @Nullable FailureClass known(Throwable error) {
    Throwable cause = error.getCause();
    if (error instanceof OutputRefused && cause != null) {
      return known(cause);
    }
    if (isFatal(error)) {
      return FATAL;
    }
    if (error instanceof FencedInstanceIdException
        || error instanceof UnreleasedInstanceIdException) {
      return REPLACED;
    }
    if (isFencing(error)) {
      return FENCED;
    }
    if (isAbortable(error)) {
      return ABORT_AND_REWIND;
    }
    if (error instanceof RetriableException) {
      return RETRY;
    }
    return error instanceof ApiException ? ABORT_AND_REWIND : null;
  }

  private static boolean isFatal(Throwable error) {
    return error instanceof PoisonInput
        || error instanceof StoreFailure
        || error instanceof ChangelogLost
        || error instanceof AuthorizationException
        || error instanceof AuthenticationException
        || error instanceof UnsupportedVersionException
        || error instanceof RecordTooLargeException
        || error instanceof InvalidTopicException
        || error instanceof InvalidTxnTimeoutException
        || error instanceof InvalidOffsetException
        || error instanceof InterruptException
        || error instanceof Error;
  }

  private static boolean isFencing(Throwable error) {
    return error instanceof ProducerFencedException
        || error instanceof InvalidProducerEpochException
        || error instanceof InvalidPidMappingException
        || error instanceof InvalidTxnStateException
        || error instanceof OutOfOrderSequenceException;
  }

  private static boolean isAbortable(Throwable error) {
    return error instanceof CommitFailedException
        || error instanceof RebalanceInProgressException
        || error instanceof IllegalGenerationException
        || error instanceof UnknownMemberIdException
        || error instanceof TransactionAbortableException
        || error instanceof TransactionAbortedException
        || error instanceof TryAgainLater;
  }

  private static @Nullable Throwable next(Throwable error) {
    Throwable cause = error.getCause();
    return cause == error ? null : cause;
  }
}
