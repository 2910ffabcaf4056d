package io.fencepost.txn.txn;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The partitions that owe a marker, and what an error in one of them means. Not thread-safe; {@code
 * Ending} in the coordinator guards it.
 */
public final class MarkerPlan {
  private final TreeSet<TopicPartition> owed;
  private final TreeMap<TopicPartition, WireError> failed = new TreeMap<>();

  public MarkerPlan(SortedSet<TopicPartition> partitions) {
    this.owed = new TreeSet<>(partitions);
  }

  /** What an answer means for its partition. */
  public enum Outcome {
    DONE,
    /** The partition is gone, or has moved past this transaction: nothing to end there. */
    SKIPPED,
    RETRY
  }

  /** Notes the answer of one partition. */
  public Outcome answered(TopicPartition partition, WireError error) {
    Outcome outcome = outcome(error);
    if (outcome == Outcome.RETRY) {
      failed.put(partition, error);
    } else {
      owed.remove(partition);
    }
    return outcome;
  }

  public boolean isDone() {
    return owed.isEmpty();
  }

  /** Whether everybody has answered and somebody has to be asked again. */
  public boolean isToBeRepeated() {
    return !owed.isEmpty() && failed.size() == owed.size();
  }

  /** Those that answered with an error since they were last asked. */
  public SortedMap<TopicPartition, WireError> failed() {
    return new TreeMap<>(failed);
  }

  /** Those to ask now; their answers are awaited from here on. */
  public Set<TopicPartition> takeOwed() {
    failed.clear();
    return new TreeSet<>(owed);
  }

  private static Outcome outcome(WireError error) {
    return switch (error) {
      case NONE -> Outcome.DONE;
      case UNKNOWN_TOPIC_OR_PARTITION,
          UNKNOWN_TOPIC_ID,
          INVALID_PRODUCER_EPOCH,
          PRODUCER_FENCED,
          TRANSACTION_COORDINATOR_FENCED ->
          Outcome.SKIPPED;
      default -> Outcome.RETRY;
    };
  }
}
