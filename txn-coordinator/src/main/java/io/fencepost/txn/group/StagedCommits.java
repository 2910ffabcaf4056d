package io.fencepost.txn.group;

import io.fencepost.broker.producer.TxnGuard;
import io.fencepost.broker.replica.TransactionGate;
import io.fencepost.broker.replica.TransactionGate.AdmitRequest;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.group.CommitCommand.Transaction;
import io.fencepost.txn.shard.ShardRuntime;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stages offsets in a transaction: makes sure that the transaction holds the group's partition of
 * the offsets log, then commits into it. Called by the API handler; thread-safe.
 *
 * <p>The group is asked first and again when the offsets are logged, so that a fenced member adds
 * nothing to the transaction.
 */
public final class StagedCommits {
  private final GroupCoordinator groups;
  private final OffsetCommits commits;
  private final Supplier<@Nullable TransactionGate> gate;

  public StagedCommits(
      GroupCoordinator groups, OffsetCommits commits, Supplier<@Nullable TransactionGate> gate) {
    this.groups = groups;
    this.commits = commits;
    this.gate = gate;
  }

  /**
   * @param addIfAbsent add the partition to the transaction rather than refuse
   */
  public void stage(
      String transactionalId,
      CommitCommand command,
      boolean addIfAbsent,
      Consumer<WireError> answer) {
    commits.check(
        command,
        error -> {
          if (error != WireError.NONE || command.entries().isEmpty()) {
            answer.accept(error);
          } else {
            admit(transactionalId, command, addIfAbsent, answer);
          }
        });
  }

  private void admit(
      String transactionalId,
      CommitCommand command,
      boolean addIfAbsent,
      Consumer<WireError> answer) {
    Transaction transaction = command.transaction();
    ShardRuntime<GroupShard> runtime = groups.find(command.groupId());
    if (runtime == null || transaction == null) {
      answer.accept(WireError.NOT_COORDINATOR);
      return;
    }
    long producerId = transaction.producerId();
    short producerEpoch = transaction.producerEpoch();
    TxnGuard guard = runtime.log().guardFor(producerId, producerEpoch);
    if (guard == null) {
      commits.commit(runtime, command, null, answer);
      return;
    }
    TransactionGate coordinator = gate.get();
    if (coordinator == null) {
      answer.accept(WireError.COORDINATOR_NOT_AVAILABLE);
      return;
    }
    TopicPartition partition = runtime.topicPartition();
    coordinator.admit(
        new AdmitRequest(
            transactionalId, producerId, producerEpoch, List.of(partition), addIfAbsent),
        verdicts -> {
          WireError verdict = verdicts.getOrDefault(partition, WireError.NONE);
          if (verdict == WireError.NONE) {
            commits.commit(runtime, command, guard, answer);
          } else {
            if (TransactionGate.isFinal(verdict)) {
              runtime.log().dropGuard(guard);
            }
            answer.accept(verdict);
          }
        });
  }
}
