package io.fencepost.txn.group;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An OffsetCommit or TxnOffsetCommit, free of wire versions.
 *
 * @param generation -1 if the committer takes no part in the group's protocol
 * @param transaction null for a plain commit
 * @param entries may be empty: then only the right to commit is checked
 * @param knowsMemberEpochs whether the request's version may come from a member of the newer
 *     protocol
 * @param unknownGroup the error for a generation of a group that nobody knows
 */
public record CommitCommand(
    String groupId,
    MemberIdentity identity,
    int generation,
    @Nullable Transaction transaction,
    List<Entry> entries,
    boolean knowsMemberEpochs,
    WireError unknownGroup) {

  /** Whose transaction the offsets belong to. */
  public record Transaction(long producerId, short producerEpoch) {}

  /**
   * One offset.
   *
   * @param retentionMs how long to keep it in any case, -1 for the broker's rule
   */
  public record Entry(
      TopicPartition partition, long offset, int leaderEpoch, String metadata, long retentionMs) {}

  List<TopicPartition> partitions() {
    return entries.stream().map(Entry::partition).toList();
  }
}
