package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.WireReader;
import io.fencepost.broker.wire.WireWriter;
import io.fencepost.txn.record.ConsumerGroupCurrentMemberAssignmentKey;
import io.fencepost.txn.record.ConsumerGroupCurrentMemberAssignmentValue;
import io.fencepost.txn.record.ConsumerGroupMemberMetadataKey;
import io.fencepost.txn.record.ConsumerGroupMemberMetadataValue;
import io.fencepost.txn.record.ConsumerGroupMetadataKey;
import io.fencepost.txn.record.ConsumerGroupMetadataValue;
import io.fencepost.txn.record.ConsumerGroupPartitionMetadataKey;
import io.fencepost.txn.record.ConsumerGroupRegularExpressionKey;
import io.fencepost.txn.record.ConsumerGroupRegularExpressionValue;
import io.fencepost.txn.record.ConsumerGroupTargetAssignmentMemberKey;
import io.fencepost.txn.record.ConsumerGroupTargetAssignmentMemberValue;
import io.fencepost.txn.record.ConsumerGroupTargetAssignmentMetadataKey;
import io.fencepost.txn.record.ConsumerGroupTargetAssignmentMetadataValue;
import io.fencepost.txn.shard.NewRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Changes of groups as records of the offsets log, in Kafka's formats. Keys begin with the type of
 * the record, values with the version of their layout (0, the only one), both in two bytes.
 */
public final class ConsumerCodec {
  private static final int VERSION = 0;

  private ConsumerCodec() {}

  /** A change of a group. */
  public record Logged(String groupId, ConsumerChange change) {}

  /**
   * Whether records of the type belong to groups of the newer protocol and say something: what a
   * group knows of partitions was logged by brokers before 4.1 and is of no use any more.
   */
  public static boolean isOurs(short type) {
    return type == ConsumerGroupMetadataKey.TYPE
        || type == ConsumerGroupMemberMetadataKey.TYPE
        || type == ConsumerGroupTargetAssignmentMetadataKey.TYPE
        || type == ConsumerGroupTargetAssignmentMemberKey.TYPE
        || type == ConsumerGroupCurrentMemberAssignmentKey.TYPE
        || type == ConsumerGroupRegularExpressionKey.TYPE;
  }

  /** Whether the record is one that only older brokers wrote. */
  public static boolean isObsolete(short type) {
    return type == ConsumerGroupPartitionMetadataKey.TYPE;
  }

  /** The change as a record. */
  public static NewRecord record(String groupId, ConsumerChange change) {
    if (change instanceof ConsumerChange.Group group) {
      ConsumerGroupMetadataKey key = new ConsumerGroupMetadataKey();
      key.groupId = groupId;
      return record(ConsumerGroupMetadataKey.TYPE, key, value(group.epoch()));
    } else if (change instanceof ConsumerChange.Member member) {
      ConsumerGroupMemberMetadataKey key = new ConsumerGroupMemberMetadataKey();
      key.groupId = groupId;
      key.memberId = member.memberId();
      return record(ConsumerGroupMemberMetadataKey.TYPE, key, value(member.metadata()));
    } else if (change instanceof ConsumerChange.TargetsMade made) {
      ConsumerGroupTargetAssignmentMetadataKey key = new ConsumerGroupTargetAssignmentMetadataKey();
      key.groupId = groupId;
      return record(ConsumerGroupTargetAssignmentMetadataKey.TYPE, key, value(made.targets()));
    } else if (change instanceof ConsumerChange.Target target) {
      ConsumerGroupTargetAssignmentMemberKey key = new ConsumerGroupTargetAssignmentMemberKey();
      key.groupId = groupId;
      key.memberId = target.memberId();
      return record(ConsumerGroupTargetAssignmentMemberKey.TYPE, key, value(target.partitions()));
    } else if (change instanceof ConsumerChange.Progress progress) {
      ConsumerGroupCurrentMemberAssignmentKey key = new ConsumerGroupCurrentMemberAssignmentKey();
      key.groupId = groupId;
      key.memberId = progress.memberId();
      return record(ConsumerGroupCurrentMemberAssignmentKey.TYPE, key, value(progress.progress()));
    }
    ConsumerChange.Pattern pattern = (ConsumerChange.Pattern) change;
    ConsumerGroupRegularExpressionKey key = new ConsumerGroupRegularExpressionKey();
    key.groupId = groupId;
    key.regularExpression = pattern.regex();
    return record(ConsumerGroupRegularExpressionKey.TYPE, key, value(pattern.matches()));
  }

  private static NewRecord record(int type, WireMessage key, @Nullable WireMessage value) {
    return new NewRecord(bytes(type, key), value == null ? null : bytes(VERSION, value));
  }

  private static byte[] bytes(int prefix, WireMessage message) {
    WireWriter out = new WireWriter();
    message.write(out, VERSION);
    ByteBuffer body = out.toBuffer();
    return ByteBuffer.allocate(Short.BYTES + body.remaining())
        .putShort((short) prefix)
        .put(body)
        .array();
  }

  private static @Nullable WireMessage value(ConsumerChange.@Nullable Epoch epoch) {
    if (epoch == null) {
      return null;
    }
    ConsumerGroupMetadataValue value = new ConsumerGroupMetadataValue();
    value.epoch = epoch.number();
    value.metadataHash = epoch.topicsHash();
    return value;
  }

  private static @Nullable WireMessage value(@Nullable MemberMetadata metadata) {
    if (metadata == null) {
      return null;
    }
    ConsumerGroupMemberMetadataValue value = new ConsumerGroupMemberMetadataValue();
    value.instanceId = metadata.instanceId();
    value.rackId = metadata.rackId();
    value.clientId = metadata.clientId();
    value.clientHost = metadata.clientHost();
    value.subscribedTopicNames = new ArrayList<>(metadata.topicNames());
    value.subscribedTopicRegex = metadata.topicRegex();
    value.rebalanceTimeoutMs = metadata.rebalanceTimeoutMs();
    value.serverAssignor = metadata.assignor();
    value.classicMemberMetadata = null;
    MemberMetadata.Classic classic = metadata.classic();
    if (classic != null) {
      ConsumerGroupMemberMetadataValue.ClassicMemberMetadata saved =
          new ConsumerGroupMemberMetadataValue.ClassicMemberMetadata();
      saved.sessionTimeoutMs = classic.sessionTimeoutMs();
      for (ClassicProtocol protocol : classic.protocols()) {
        ConsumerGroupMemberMetadataValue.ClassicProtocol one =
            new ConsumerGroupMemberMetadataValue.ClassicProtocol();
        one.name = protocol.name();
        one.metadata = protocol.metadata();
        saved.supportedProtocols.add(one);
      }
      value.classicMemberMetadata = saved;
    }
    return value;
  }

  private static @Nullable WireMessage value(ConsumerChange.@Nullable Targets targets) {
    if (targets == null) {
      return null;
    }
    ConsumerGroupTargetAssignmentMetadataValue value =
        new ConsumerGroupTargetAssignmentMetadataValue();
    value.assignmentEpoch = targets.epoch();
    value.assignmentTimestamp = targets.madeMs();
    return value;
  }

  private static @Nullable WireMessage value(@Nullable PartitionSet target) {
    if (target == null) {
      return null;
    }
    ConsumerGroupTargetAssignmentMemberValue value = new ConsumerGroupTargetAssignmentMemberValue();
    for (Uuid topicId : target.topicIds()) {
      ConsumerGroupTargetAssignmentMemberValue.TopicPartition topic =
          new ConsumerGroupTargetAssignmentMemberValue.TopicPartition();
      topic.topicId = topicId;
      topic.partitions = target.of(topicId);
      value.topicPartitions.add(topic);
    }
    return value;
  }

  private static @Nullable WireMessage value(@Nullable MemberProgress progress) {
    if (progress == null) {
      return null;
    }
    ConsumerGroupCurrentMemberAssignmentValue value =
        new ConsumerGroupCurrentMemberAssignmentValue();
    value.memberEpoch = progress.epoch();
    value.previousMemberEpoch = progress.previousEpoch();
    value.state = progress.phase().code();
    value.assignedPartitions = topics(progress.assigned());
    value.partitionsPendingRevocation = topics(progress.revoking());
    return value;
  }

  private static List<ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions> topics(
      OwnedPartitions owned) {
    List<ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions> topics = new ArrayList<>();
    for (Uuid topicId : owned.topicIds()) {
      ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions topic =
          new ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions();
      topic.topicId = topicId;
      List<Integer> epochs = new ArrayList<>();
      for (Map.Entry<Integer, Integer> partition : owned.of(topicId).entrySet()) {
        topic.partitions.add(partition.getKey());
        epochs.add(partition.getValue());
      }
      topic.assignmentEpochs = epochs;
      topics.add(topic);
    }
    return topics;
  }

  private static @Nullable WireMessage value(ConsumerChange.@Nullable Matches matches) {
    if (matches == null) {
      return null;
    }
    ConsumerGroupRegularExpressionValue value = new ConsumerGroupRegularExpressionValue();
    value.topics = new ArrayList<>(matches.topics());
    value.version = matches.version();
    value.timestamp = matches.atMs();
    return value;
  }

  /**
   * A record of one of {@link #isOurs our} types.
   *
   * @param key after its type
   * @param value with its version; null for a tombstone
   */
  public static Logged read(short type, ByteBuffer key, @Nullable ByteBuffer value) {
    WireReader in = new WireReader(key);
    if (type == ConsumerGroupMetadataKey.TYPE) {
      return new Logged(ConsumerGroupMetadataKey.read(in, 0).groupId, ConsumerValues.group(value));
    } else if (type == ConsumerGroupMemberMetadataKey.TYPE) {
      ConsumerGroupMemberMetadataKey member = ConsumerGroupMemberMetadataKey.read(in, 0);
      return new Logged(member.groupId, ConsumerValues.member(member.memberId, value));
    } else if (type == ConsumerGroupTargetAssignmentMetadataKey.TYPE) {
      return new Logged(
          ConsumerGroupTargetAssignmentMetadataKey.read(in, 0).groupId,
          ConsumerValues.targetsMade(value));
    } else if (type == ConsumerGroupTargetAssignmentMemberKey.TYPE) {
      ConsumerGroupTargetAssignmentMemberKey member =
          ConsumerGroupTargetAssignmentMemberKey.read(in, 0);
      return new Logged(member.groupId, ConsumerValues.target(member.memberId, value));
    } else if (type == ConsumerGroupCurrentMemberAssignmentKey.TYPE) {
      ConsumerGroupCurrentMemberAssignmentKey member =
          ConsumerGroupCurrentMemberAssignmentKey.read(in, 0);
      return new Logged(member.groupId, ConsumerValues.progress(member.memberId, value));
    }
    ConsumerGroupRegularExpressionKey pattern = ConsumerGroupRegularExpressionKey.read(in, 0);
    return new Logged(pattern.groupId, ConsumerValues.pattern(pattern.regularExpression, value));
  }
}
