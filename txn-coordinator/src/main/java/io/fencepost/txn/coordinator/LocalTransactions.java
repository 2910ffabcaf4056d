package io.fencepost.txn.coordinator;

import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.replica.TransactionGate;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * This broker's coordinator as partitions anywhere in the cluster ask it. Thread-safe.
 *
 * <p>Partitions that this broker has not heard of yet have to wait: a transaction that ends is
 * ended where this broker knows it to be.
 */
public final class LocalTransactions implements TransactionGate {
  private final TxnCoordinator coordinator;
  private final ClusterView cluster;

  public LocalTransactions(TxnCoordinator coordinator, ClusterView cluster) {
    this.coordinator = coordinator;
    this.cluster = cluster;
  }

  @Override
  public void admit(AdmitRequest request, Consumer<SortedMap<TopicPartition, WireError>> answer) {
    TreeMap<TopicPartition, WireError> verdicts = new TreeMap<>();
    List<TopicPartition> known = new ArrayList<>();
    for (TopicPartition partition : request.partitions()) {
      if (cluster.state().partition(partition) == null) {
        verdicts.put(partition, WireError.COORDINATOR_NOT_AVAILABLE);
      } else {
        known.add(partition);
      }
    }
    if (known.isEmpty()) {
      answer.accept(verdicts);
      return;
    }
    AdmitRequest rest =
        new AdmitRequest(
            request.transactionalId(),
            request.producerId(),
            request.producerEpoch(),
            known,
            request.addIfAbsent());
    coordinator.admit(
        rest,
        admitted -> {
          verdicts.putAll(admitted);
          answer.accept(verdicts);
        });
  }

  @Override
  public void refused(String why) {
    coordinator.refused(why);
  }
}
