package io.fencepost.txn.group;

import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.producer.TxnGuard;
import io.fencepost.broker.testing.Rule;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.group.CommitCommand.Entry;
import io.fencepost.txn.group.CommitCommand.Transaction;
import io.fencepost.txn.group.consumer.ConsumerGroup;
import io.fencepost.txn.group.consumer.OffsetClaim;
import io.fencepost.txn.shard.NewRecord;
import io.fencepost.txn.shard.ShardDecision;
import io.fencepost.txn.shard.ShardRuntime;
import io.fencepost.txn.shard.ShardTask;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Commits offsets: checks the committer against its group, logs, answers when the log's order is
 * certain and applied. Called by the API handlers; thread-safe.
 */
public final class OffsetCommits {
  private final GroupCoordinator groups;
  private final ClusterView cluster;

  public OffsetCommits(GroupCoordinator groups, ClusterView cluster) {
    this.groups = groups;
    this.cluster = cluster;
  }

  /** Answers NONE when the offsets are durable, staged if they belong to a transaction. */
  public void commit(CommitCommand command, Consumer<WireError> answer) {
    ShardRuntime<GroupShard> runtime = groups.find(command.groupId());
    if (runtime == null) {
      answer.accept(WireError.NOT_COORDINATOR);
    } else {
      commit(runtime, command, null, answer);
    }
  }

  /**
   * The same for a transaction.
   *
   * @param runtime of the term in which the guard was given
   * @param guard proves that the transaction's coordinator has agreed; null if the transaction was
   *     open in the group's partition already
   */
  void commit(
      ShardRuntime<GroupShard> runtime,
      CommitCommand command,
      @Nullable TxnGuard guard,
      Consumer<WireError> answer) {
    runtime.write(null, new CommitTask(runtime, command, guard, answer));
  }

  /** Whether the committer may, without committing anything. */
  public void check(CommitCommand command, Consumer<WireError> answer) {
    groups.read(command.groupId(), shard -> check(command, shard), answer, answer);
  }

  private WireError check(CommitCommand command, GroupShard shard) {
    boolean transactional = command.transaction() != null;
    if (transactional && !Rule.GENERATION_IS_CHECKED.holds()) {
      return WireError.NONE;
    }
    ConsumerGroup consumers = shard.consumers().current(command.groupId());
    if (consumers != null) {
      String memberId = command.identity().memberId();
      return new OffsetClaim(consumers, new ClusterTopics(cluster.state()))
          .ofCommit(
              new OffsetClaim.Claimant(memberId, command.generation(), transactional),
              command.partitions(),
              command.knowsMemberEpochs());
    }
    ClassicGroup group = shard.findKnown(command.groupId());
    if (group == null) {
      return command.generation() < 0 ? WireError.NONE : command.unknownGroup();
    }
    WireError error = group.checkCommit(command.identity(), command.generation(), transactional);
    if (error == WireError.NONE && !transactional) {
      group.onCommit(command.identity(), shard.now());
    }
    return error;
  }

  private static List<NewRecord> records(CommitCommand command, long nowMs) {
    List<NewRecord> records = new ArrayList<>();
    for (Entry entry : command.entries()) {
      long expireMs = entry.retentionMs() < 0 ? -1 : nowMs + entry.retentionMs();
      records.add(
          GroupCodec.offset(
              new OffsetKey(command.groupId(), entry.partition()),
              new StoredOffset(
                  entry.offset(), entry.leaderEpoch(), entry.metadata(), nowMs, expireMs, -1)));
    }
    return records;
  }

  private final class CommitTask implements ShardTask<GroupShard> {
    private final ShardRuntime<GroupShard> runtime;
    private final CommitCommand command;
    private final @Nullable TxnGuard guard;
    private final Consumer<WireError> answer;
    private boolean isCommitting;

    CommitTask(
        ShardRuntime<GroupShard> runtime,
        CommitCommand command,
        @Nullable TxnGuard guard,
        Consumer<WireError> answer) {
      this.runtime = runtime;
      this.command = command;
      this.guard = guard;
      this.answer = answer;
    }

    @Override
    public ShardDecision decide(GroupShard shard) {
      WireError error = check(command, shard);
      if (error != WireError.NONE || command.entries().isEmpty()) {
        return ShardDecision.answer(() -> answer.accept(error));
      }
      isCommitting = true;
      shard.beginCommit(command.groupId());
      ShardDecision decision =
          ShardDecision.write(records(command, shard.now().wallMs()), () -> finish(WireError.NONE));
      Transaction transaction = command.transaction();
      return transaction == null
          ? decision
          : decision.inTransaction(transaction.producerId(), transaction.producerEpoch(), guard);
    }

    @Override
    public void refused(WireError error) {
      finish(error);
    }

    private void finish(WireError error) {
      if (isCommitting) {
        groups.read(
            runtime,
            shard -> {
              shard.endCommit(command.groupId());
              return error;
            },
            ended -> {},
            reloading -> {});
      }
      answer.accept(error);
    }
  }
}
