package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether a member of a group of the newer protocol may commit or fetch offsets.
 *
 * <table>
 * <caption>A commit</caption>
 * <tr><th>if</th><th>then</th></tr>
 * <tr><td>it names nobody and the group is empty, or it is transactional</td><td>yes</td></tr>
 * <tr><td>it names nobody of this group</td><td>UNKNOWN_MEMBER_ID</td></tr>
 * <tr><td>it names the member's epoch</td><td>yes</td></tr>
 * <tr><td>it names an older epoch, at which the member had all these partitions already</td>
 *     <td>yes: nobody else has had them since (KIP-1251)</td></tr>
 * <tr><td>else</td><td>STALE_MEMBER_EPOCH; ILLEGAL_GENERATION to a classic member</td></tr>
 * </table>
 */
public final class OffsetClaim {
  private final ConsumerGroup group;
  private final TopicsView topics;

  public OffsetClaim(ConsumerGroup group, TopicsView topics) {
    this.group = group;
    this.topics = topics;
  }

  /** Who commits, and at which epoch it believes to be; empty and -1 for nobody. */
  public record Claimant(String memberId, int epoch, boolean isTransactional) {}

  /**
   * @param knowsEpochs whether the request's version can carry a member epoch (OffsetCommit 9)
   */
  public WireError ofCommit(
      Claimant claimant, List<TopicPartition> partitions, boolean knowsEpochs) {
    int epoch = claimant.epoch();
    boolean namesNobody = epoch < 0 && claimant.memberId().isEmpty();
    if (epoch < 0 && group.members().isEmpty()) {
      return WireError.NONE;
    }
    if (claimant.isTransactional() && namesNobody) {
      return WireError.NONE;
    }
    ConsumerMember member = group.member(claimant.memberId());
    if (member == null) {
      return WireError.UNKNOWN_MEMBER_ID;
    }
    if (!claimant.isTransactional() && !member.isClassic() && !knowsEpochs) {
      return WireError.UNSUPPORTED_VERSION;
    }
    boolean isGood =
        epoch == member.epoch() || (epoch < member.epoch() && hadAll(member, partitions, epoch));
    return isGood ? WireError.NONE : stale(member);
  }

  private static WireError stale(ConsumerMember member) {
    return member.isClassic() ? WireError.ILLEGAL_GENERATION : WireError.STALE_MEMBER_EPOCH;
  }

  private boolean hadAll(ConsumerMember member, List<TopicPartition> partitions, int epoch) {
    for (TopicPartition partition : partitions) {
      Uuid topicId = topics.idOf(partition.topic());
      if (topicId == null) {
        return false;
      }
      MemberProgress progress = member.progress();
      Integer since = progress.assigned().sinceEpoch(topicId, partition.partition());
      if (since == null) {
        since = progress.revoking().sinceEpoch(topicId, partition.partition());
      }
      if (since == null || epoch < since) {
        return false;
      }
    }
    return true;
  }

  /** A fetch that names nobody is good for everybody. */
  public WireError ofFetch(@Nullable String memberId, int epoch) {
    if (memberId == null && epoch < 0) {
      return WireError.NONE;
    }
    ConsumerMember member = memberId == null ? null : group.member(memberId);
    if (member == null) {
      return WireError.UNKNOWN_MEMBER_ID;
    }
    return epoch == member.epoch() ? WireError.NONE : stale(member);
  }
}
