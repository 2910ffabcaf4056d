package io.fencepost.broker.replica;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Consumer;

/**
 * The transaction coordinator as the produce path sees it: may this producer write to these
 * partitions now. Asked for the first batch of a transaction in each partition (KIP-890).
 */
public interface TransactionGate {
  /** Answers once, from any thread, with an entry for each partition asked for. */
  void admit(AdmitRequest request, Consumer<SortedMap<TopicPartition, WireError>> answer);

  /** Whether this answer means that the producer will never be let in with that epoch. */
  static boolean isFinal(WireError refusal) {
    return refusal == WireError.INVALID_PRODUCER_ID_MAPPING
        || refusal == WireError.INVALID_PRODUCER_EPOCH
        || refusal == WireError.PRODUCER_FENCED;
  }

  /**
   * A batch was refused by its partition for its producer's epoch, sequence or transaction: who
   * keeps a log may want to know, as a correct producer sees that only if it was replaced or an
   * earlier batch failed.
   */
  default void refused(String why) {}

  /**
   * @param addIfAbsent add the partitions to the transaction (transaction version 2), rather than
   *     refuse those that are not in it
   */
  record AdmitRequest(
      String transactionalId,
      long producerId,
      short producerEpoch,
      List<TopicPartition> partitions,
      boolean addIfAbsent) {}
}
