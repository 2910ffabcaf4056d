package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import org.jspecify.annotations.Nullable;

/**
 * Whether a member is who it says and where the group believes it to be.
 *
 * <table>
 * <caption>What a claim is worth</caption>
 * <tr><th>claim</th><th>answer</th></tr>
 * <tr><td>epoch 0, the group is full</td><td>GROUP_MAX_SIZE_REACHED</td></tr>
 * <tr><td>epoch 0, the instance id belongs to a member that has not left</td>
 *     <td>UNRELEASED_INSTANCE_ID</td></tr>
 * <tr><td>other epoch, nobody of that id</td><td>UNKNOWN_MEMBER_ID</td></tr>
 * <tr><td>the instance id belongs to another member</td><td>FENCED_INSTANCE_ID</td></tr>
 * <tr><td>the previous epoch, with nothing but what the member was given</td>
 *     <td>welcome: it missed an answer</td></tr>
 * <tr><td>any other epoch but the member's</td><td>FENCED_MEMBER_EPOCH</td></tr>
 * </table>
 */
final class MemberCheck {
  private final ConsumerSettings settings;

  MemberCheck(ConsumerSettings settings) {
    this.settings = settings;
  }

  @Nullable Refusal refusal(ConsumerGroup group, ConsumerHeartbeat command, String memberId) {
    ConsumerMember member = group.member(memberId);
    if (member == null && group.members().size() >= settings.maxSize()) {
      return new Refusal(
          WireError.GROUP_MAX_SIZE_REACHED,
          "Group " + group.id() + " has its " + settings.maxSize() + " members already");
    }
    Refusal refusal =
        command.instanceId() == null
            ? ofDynamic(group, command, memberId)
            : ofStatic(group, command, memberId, command.instanceId());
    if (refusal != null) {
      return refusal;
    }
    TopicRegex regex = command.regex();
    return regex == null || regex.fault() == null
        ? null
        : new Refusal(WireError.INVALID_REGULAR_EXPRESSION, regex.fault());
  }

  private static @Nullable Refusal ofDynamic(
      ConsumerGroup group, ConsumerHeartbeat command, String memberId) {
    ConsumerMember member = group.member(memberId);
    if (member == null) {
      return command.isJoin() ? null : unknown(group, memberId);
    }
    return epochRefusal(member, command);
  }

  private static @Nullable Refusal ofStatic(
      ConsumerGroup group, ConsumerHeartbeat command, String memberId, String instanceId) {
    ConsumerMember owner = group.staticMember(instanceId);
    if (owner == null) {
      return command.isJoin()
          ? null
          : new Refusal(
              WireError.UNKNOWN_MEMBER_ID,
              "Group " + group.id() + " has no member of instance id " + instanceId);
    }
    if (command.isJoin()) {
      boolean isAway = owner.epoch() == MemberProgress.STATIC_LEFT;
      return isAway || owner.isClassic()
          ? null
          : new Refusal(
              WireError.UNRELEASED_INSTANCE_ID,
              "Instance id %s of group %s is used by member %s, which has not left"
                  .formatted(instanceId, group.id(), owner.id()));
    }
    if (!owner.id().equals(memberId)) {
      return fencedInstance(group, memberId, instanceId, owner);
    }
    return epochRefusal(owner, command);
  }

  private static Refusal unknown(ConsumerGroup group, String memberId) {
    return new Refusal(
        WireError.UNKNOWN_MEMBER_ID, "Group " + group.id() + " has no member " + memberId);
  }

  private static Refusal fencedInstance(
      ConsumerGroup group, String memberId, String instanceId, ConsumerMember owner) {
    return new Refusal(
        WireError.FENCED_INSTANCE_ID,
        "Member %s of group %s: instance id %s belongs to member %s now"
            .formatted(memberId, group.id(), instanceId, owner.id()));
  }

  private static @Nullable Refusal epochRefusal(ConsumerMember member, ConsumerHeartbeat command) {
    int claimed = command.memberEpoch();
    if (claimed == member.epoch()) {
      return null;
    }
    boolean missedAnAnswer =
        claimed == member.progress().previousEpoch() && hasOnly(command.owned(), member);
    return command.isJoin() || missedAnAnswer
        ? null
        : new Refusal(
            WireError.FENCED_MEMBER_EPOCH,
            "Member %s is at epoch %d, not %d: it must give up all partitions and join again"
                .formatted(member.id(), member.epoch(), claimed));
  }

  private static boolean hasOnly(@Nullable PartitionSet owned, ConsumerMember member) {
    if (owned == null) {
      return false;
    }
    boolean[] only = {true};
    owned.forEach(
        (Uuid topicId, int partition) ->
            only[0] &= member.progress().assigned().contains(topicId, partition));
    return only[0];
  }

  static @Nullable Refusal refusalToLeave(ConsumerGroup group, ConsumerHeartbeat command) {
    String instanceId = command.instanceId();
    if (instanceId == null) {
      return group.member(command.memberId()) == null ? unknown(group, command.memberId()) : null;
    }
    ConsumerMember owner = group.staticMember(instanceId);
    if (owner == null) {
      return new Refusal(
          WireError.UNKNOWN_MEMBER_ID,
          "Group " + group.id() + " has no member of instance id " + instanceId);
    }
    return owner.id().equals(command.memberId())
        ? null
        : fencedInstance(group, command.memberId(), instanceId, owner);
  }
}
