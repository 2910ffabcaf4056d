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

  /**
   * A batch was answered INVALID_TXN_STATE by its partition, for this reason: who keeps a log may
   * want to know, as a correct producer should not see that.
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
