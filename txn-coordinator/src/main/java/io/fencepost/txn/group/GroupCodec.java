package io.fencepost.txn.group;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.WireReader;
import io.fencepost.broker.wire.WireWriter;
import io.fencepost.txn.group.GroupRecord.MemberRecord;
import io.fencepost.txn.group.JoinCommand.ClientOrigin;
import io.fencepost.txn.group.JoinCommand.Timeouts;
import io.fencepost.txn.record.GroupMetadataKey;
import io.fencepost.txn.record.GroupMetadataValue;
import io.fencepost.txn.record.OffsetCommitKey;
import io.fencepost.txn.record.OffsetCommitValue;
import io.fencepost.txn.shard.NewRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Records of the offsets log in Kafka's formats, so that its tools read ours. Keys begin with the
 * type of the record, values with the version of their layout, both in two bytes.
 */
final class GroupCodec {
  /** The newest layouts that brokers and tools before 4.0 read, too. */
  private static final int OFFSET_VERSION = 3;

  /** The only layout that has room for a time at which the offset expires by itself. */
  private static final int OFFSET_VERSION_WITH_EXPIRY = 1;

  private static final int GROUP_VERSION = 3;

  /** Keys of a type before this one name an offset, both in the same layout. */
  private static final short OFFSET_TYPES_END = GroupMetadataKey.TYPE;

  private GroupCodec() {}

  static boolean isOffset(short type) {
    return type >= 0 && type < OFFSET_TYPES_END;
  }

  static boolean isGroup(short type) {
    return type == GroupMetadataKey.TYPE;
  }

  static NewRecord offset(OffsetKey key, StoredOffset stored) {
    OffsetCommitValue value = new OffsetCommitValue();
    value.offset = stored.offset();
    value.leaderEpoch = stored.leaderEpoch();
    value.metadata = stored.metadata();
    value.commitTimestamp = stored.commitMs();
    value.expireTimestamp = stored.expireMs();
    int version = stored.expireMs() < 0 ? OFFSET_VERSION : OFFSET_VERSION_WITH_EXPIRY;
    return new NewRecord(bytes(key), bytes(version, value, version));
  }

  static NewRecord offsetTombstone(OffsetKey key) {
    return new NewRecord(bytes(key), null);
  }

  static OffsetKey offsetKey(ByteBuffer afterType) {
    OffsetCommitKey key = OffsetCommitKey.read(new WireReader(afterType), 0);
    return new OffsetKey(key.group, new TopicPartition(key.topic, key.partition));
  }

  static StoredOffset offsetValue(ByteBuffer value, long logOffset) {
    int version = value.getShort();
    OffsetCommitValue read = OffsetCommitValue.read(new WireReader(value), version);
    return new StoredOffset(
        read.offset,
        read.leaderEpoch,
        read.metadata,
        read.commitTimestamp,
        read.expireTimestamp,
        logOffset);
  }

  static NewRecord group(String groupId, GroupRecord group) {
    GroupMetadataValue value = new GroupMetadataValue();
    value.protocolType = group.protocolType();
    value.generation = group.generation();
    value.protocol = group.protocol();
    value.leader = group.leaderId();
    value.currentStateTimestamp = group.stateSinceMs();
    for (MemberRecord member : group.members()) {
      GroupMetadataValue.MemberMetadata saved = new GroupMetadataValue.MemberMetadata();
      saved.memberId = member.identity().memberId();
      saved.groupInstanceId = member.identity().instanceId();
      saved.clientId = member.origin().clientId();
      saved.clientHost = member.origin().clientHost();
      saved.rebalanceTimeout = member.timeouts().rebalanceTimeoutMs();
      saved.sessionTimeout = member.timeouts().sessionTimeoutMs();
      saved.subscription = member.subscription().metadata();
      saved.assignment = member.assignment().bytes();
      value.members.add(saved);
    }
    return new NewRecord(groupKey(groupId), bytes(GROUP_VERSION, value, GROUP_VERSION));
  }

  static NewRecord groupTombstone(String groupId) {
    return new NewRecord(groupKey(groupId), null);
  }

  static String groupId(ByteBuffer afterType) {
    return GroupMetadataKey.read(new WireReader(afterType), 0).group;
  }

  static GroupRecord groupValue(byte[] logged) {
    ByteBuffer value = ByteBuffer.wrap(logged);
    int version = value.getShort();
    GroupMetadataValue read = GroupMetadataValue.read(new WireReader(value), version);
    List<MemberRecord> members = new ArrayList<>();
    String protocol = read.protocol == null ? "" : read.protocol;
    for (GroupMetadataValue.MemberMetadata saved : read.members) {
      int rebalanceMs = saved.rebalanceTimeout < 0 ? saved.sessionTimeout : saved.rebalanceTimeout;
      members.add(
          new MemberRecord(
              new MemberIdentity(saved.memberId, saved.groupInstanceId),
              new ClientOrigin(saved.clientId, saved.clientHost),
              new Timeouts(saved.sessionTimeout, rebalanceMs),
              new GroupProtocol(protocol, saved.subscription),
              new Assignment(saved.assignment)));
    }
    return new GroupRecord(
        read.protocolType,
        read.generation,
        read.protocol,
        read.leader,
        read.currentStateTimestamp,
        members);
  }

  private static byte[] bytes(OffsetKey key) {
    OffsetCommitKey record = new OffsetCommitKey();
    record.group = key.group();
    record.topic = key.partition().topic();
    record.partition = key.partition().partition();
    return bytes(OffsetCommitKey.TYPE, record, 0);
  }

  private static byte[] groupKey(String groupId) {
    GroupMetadataKey record = new GroupMetadataKey();
    record.group = groupId;
    return bytes(GroupMetadataKey.TYPE, record, 0);
  }

  private static byte[] bytes(int prefix, WireMessage message, int version) {
    WireWriter out = new WireWriter();
    message.write(out, version);
    ByteBuffer body = out.toBuffer();
    return ByteBuffer.allocate(Short.BYTES + body.remaining())
        .putShort((short) prefix)
        .put(body)
        .array();
  }
}
