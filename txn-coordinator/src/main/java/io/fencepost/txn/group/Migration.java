package io.fencepost.txn.group;

import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.group.GroupRecord.MemberRecord;
import io.fencepost.txn.group.JoinCommand.ClientOrigin;
import io.fencepost.txn.group.JoinCommand.Timeouts;
import io.fencepost.txn.group.consumer.ClassicProtocol;
import io.fencepost.txn.group.consumer.ConsumerGroup;
import io.fencepost.txn.group.consumer.ConsumerMember;
import io.fencepost.txn.group.consumer.ConsumerSettings;
import io.fencepost.txn.group.consumer.Draft;
import io.fencepost.txn.group.consumer.EmbeddedProtocol;
import io.fencepost.txn.group.consumer.MemberMetadata;
import io.fencepost.txn.group.consumer.PartitionSet;
import io.fencepost.txn.group.consumer.TopicsView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns a group with members from one protocol to the other (group.consumer.migration.policy), so
 * that the consumers of an application can be replaced one after the other. Members keep what they
 * have; the generation becomes the epoch and the other way round.
 *
 * <table>
 * <caption>When a group turns</caption>
 * <tr><th>from</th><th>event</th><th>to</th></tr>
 * <tr><td>classic, without members</td><td>a member of the newer protocol joins</td>
 *     <td>newer, whatever the policy</td></tr>
 * <tr><td>newer, without members</td><td>a classic member joins</td>
 *     <td>classic, whatever the policy</td></tr>
 * <tr><td>classic, all consumers without an assignor of their own that tells them more than
 *     partitions (Kafka Streams has one)</td><td>a member of the newer protocol joins; upgrade is
 *     allowed</td><td>newer, the others stay as classic members</td></tr>
 * <tr><td>newer</td><td>the last member of the newer protocol goes or is replaced by a classic one,
 *     classic ones remain; downgrade is allowed</td><td>classic, they rebalance</td></tr>
 * </table>
 */
final class Migration {
  private final ConsumerSettings settings;
  private final GroupLimits classicLimits;

  Migration(ConsumerSettings settings, GroupLimits classicLimits) {
    this.settings = settings;
    this.classicLimits = classicLimits;
  }

  /** The group of the newer protocol that the classic one becomes; null if it must not. */
  @Nullable Draft upgrade(ClassicGroup classic, TopicsView topics) {
    List<MemberRecord> members = classic.describeMembers();
    boolean isAllowed =
        settings.migration().allowsUpgrade()
            && classic.state() != GroupState.DEAD
            && classic.protocolType().equals(EmbeddedProtocol.CONSUMER)
            && members.size() <= settings.maxSize();
    if (!isAllowed) {
      return null;
    }
    Draft draft = new Draft(new ConsumerGroup(classic.id()));
    draft.begin(classic.generation());
    for (MemberRecord member : members) {
      List<ClassicProtocol> protocols = protocols(classic, member);
      EmbeddedProtocol.Subscription subscription =
          protocols.isEmpty()
              ? null
              : EmbeddedProtocol.subscription(protocols.get(0).metadata(), topics);
      PartitionSet assigned = EmbeddedProtocol.assignment(member.assignment().bytes(), topics);
      if (subscription == null || assigned == null) {
        return null;
      }
      draft.adopt(
          member.identity().memberId(),
          new MemberMetadata(
              member.identity().instanceId(),
              subscription.rackId(),
              member.origin().clientId(),
              member.origin().clientHost(),
              subscription.topicNames(),
              null,
              member.timeouts().rebalanceTimeoutMs(),
              null,
              new MemberMetadata.Classic(member.timeouts().sessionTimeoutMs(), protocols)),
          assigned);
    }
    return draft;
  }

  private static List<ClassicProtocol> protocols(ClassicGroup classic, MemberRecord member) {
    List<ClassicProtocol> protocols = new ArrayList<>();
    for (GroupProtocol protocol : classic.member(member.identity().memberId()).protocols) {
      protocols.add(new ClassicProtocol(protocol.name(), protocol.metadata()));
    }
    return protocols;
  }

  /** The classic group that is left; null if members of the newer protocol are, or it must not. */
  @Nullable GroupRecord downgrade(ConsumerGroup group, TopicsView topics, long nowMs) {
    boolean isAllowed =
        settings.migration().allowsDowngrade()
            && !group.members().isEmpty()
            && group.members().size() <= classicLimits.maxSize()
            && group.members().stream().allMatch(ConsumerMember::isClassic);
    if (!isAllowed) {
      return null;
    }
    String protocol = commonProtocol(group);
    List<MemberRecord> members = new ArrayList<>();
    for (ConsumerMember member : group.members()) {
      MemberMetadata.Classic classic = member.metadata().classic();
      if (classic == null || protocol == null) {
        return null;
      }
      members.add(record(member, classic, protocol, topics));
    }
    String leader = members.get(0).identity().memberId();
    return new GroupRecord(
        EmbeddedProtocol.CONSUMER, group.epoch(), protocol, leader, nowMs, members);
  }

  private static MemberRecord record(
      ConsumerMember member, MemberMetadata.Classic classic, String protocol, TopicsView topics) {
    byte[] subscription = {};
    for (ClassicProtocol supported : classic.protocols()) {
      if (supported.name().equals(protocol)) {
        subscription = supported.metadata();
      }
    }
    EmbeddedProtocol.Subscription read = EmbeddedProtocol.subscription(subscription, topics);
    PartitionSet assigned = member.progress().assigned().partitions();
    byte[] assignment =
        EmbeddedProtocol.assignment(assigned, read == null ? 0 : read.version(), topics);
    MemberMetadata metadata = member.metadata();
    return new MemberRecord(
        new MemberIdentity(member.id(), metadata.instanceId()),
        new ClientOrigin(metadata.clientId(), metadata.clientHost()),
        new Timeouts(classic.sessionTimeoutMs(), metadata.rebalanceTimeoutMs()),
        new GroupProtocol(protocol, subscription),
        new Assignment(assignment));
  }

  /** The protocol that all classic members support; the first of the first one that is it. */
  private static @Nullable String commonProtocol(ConsumerGroup group) {
    Map<String, Integer> supporters = new LinkedHashMap<>();
    for (ConsumerMember member : group.members()) {
      MemberMetadata.Classic classic = member.metadata().classic();
      if (classic != null) {
        classic.protocols().forEach(p -> supporters.merge(p.name(), 1, Integer::sum));
      }
    }
    for (Map.Entry<String, Integer> entry : supporters.entrySet()) {
      if (entry.getValue() == group.members().size()) {
        return entry.getKey();
      }
    }
    return null;
  }

  /** Ends the waits of a classic group that turns: its members come again. */
  static void dissolve(ClassicGroup classic, Moment now, GroupEffects out) {
    classic.die(WireError.REBALANCE_IN_PROGRESS, now, out);
  }
}
