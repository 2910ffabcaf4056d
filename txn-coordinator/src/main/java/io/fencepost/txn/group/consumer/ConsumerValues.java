package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.WireReader;
import io.fencepost.txn.record.ConsumerGroupCurrentMemberAssignmentValue;
import io.fencepost.txn.record.ConsumerGroupMemberMetadataValue;
import io.fencepost.txn.record.ConsumerGroupMetadataValue;
import io.fencepost.txn.record.ConsumerGroupRegularExpressionValue;
import io.fencepost.txn.record.ConsumerGroupTargetAssignmentMemberValue;
import io.fencepost.txn.record.ConsumerGroupTargetAssignmentMetadataValue;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the values of the records that {@link ConsumerCodec} writes; null is a tombstone. */
final class ConsumerValues {
  private ConsumerValues() {}

  static ConsumerChange.Group group(@Nullable ByteBuffer value) {
    if (value == null) {
      return new ConsumerChange.Group(null);
    }
    int version = value.getShort();
    ConsumerGroupMetadataValue read =
        ConsumerGroupMetadataValue.read(new WireReader(value), version);
    return new ConsumerChange.Group(new ConsumerChange.Epoch(read.epoch, read.metadataHash));
  }

  static ConsumerChange.Member member(String memberId, @Nullable ByteBuffer value) {
    if (value == null) {
      return new ConsumerChange.Member(memberId, null);
    }
    int version = value.getShort();
    ConsumerGroupMemberMetadataValue read =
        ConsumerGroupMemberMetadataValue.read(new WireReader(value), version);
    String regex = read.subscribedTopicRegex;
    return new ConsumerChange.Member(
        memberId,
        new MemberMetadata(
            read.instanceId,
            read.rackId,
            read.clientId,
            read.clientHost,
            new TreeSet<>(read.subscribedTopicNames),
            regex == null || regex.isEmpty() ? null : regex,
            read.rebalanceTimeoutMs,
            read.serverAssignor,
            classic(read.classicMemberMetadata)));
  }

  private static MemberMetadata.@Nullable Classic classic(
      ConsumerGroupMemberMetadataValue.@Nullable ClassicMemberMetadata read) {
    if (read == null) {
      return null;
    }
    List<ClassicProtocol> protocols = new ArrayList<>();
    read.supportedProtocols.forEach(p -> protocols.add(new ClassicProtocol(p.name, p.metadata)));
    return new MemberMetadata.Classic(read.sessionTimeoutMs, protocols);
  }

  static ConsumerChange.TargetsMade targetsMade(@Nullable ByteBuffer value) {
    if (value == null) {
      return new ConsumerChange.TargetsMade(null);
    }
    int version = value.getShort();
    ConsumerGroupTargetAssignmentMetadataValue read =
        ConsumerGroupTargetAssignmentMetadataValue.read(new WireReader(value), version);
    return new ConsumerChange.TargetsMade(
        new ConsumerChange.Targets(read.assignmentEpoch, read.assignmentTimestamp));
  }

  static ConsumerChange.Target target(String memberId, @Nullable ByteBuffer value) {
    if (value == null) {
      return new ConsumerChange.Target(memberId, null);
    }
    int version = value.getShort();
    PartitionSet.Builder partitions = new PartitionSet.Builder();
    ConsumerGroupTargetAssignmentMemberValue.read(new WireReader(value), version)
        .topicPartitions
        .forEach(topic -> topic.partitions.forEach(p -> partitions.add(topic.topicId, p)));
    return new ConsumerChange.Target(memberId, partitions.build());
  }

  static ConsumerChange.Progress progress(String memberId, @Nullable ByteBuffer value) {
    if (value == null) {
      return new ConsumerChange.Progress(memberId, null);
    }
    int version = value.getShort();
    ConsumerGroupCurrentMemberAssignmentValue read =
        ConsumerGroupCurrentMemberAssignmentValue.read(new WireReader(value), version);
    return new ConsumerChange.Progress(
        memberId,
        new MemberProgress(
            read.memberEpoch,
            read.previousMemberEpoch,
            MemberPhase.of(read.state),
            owned(read.assignedPartitions, read.memberEpoch),
            owned(read.partitionsPendingRevocation, read.memberEpoch)));
  }

  /** Brokers before 4.4 did not log since when a member owns a partition: since its epoch, then. */
  private static OwnedPartitions owned(
      List<ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions> topics, int memberEpoch) {
    OwnedPartitions.Builder owned = new OwnedPartitions.Builder();
    for (ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions topic : topics) {
      List<Integer> epochs = topic.assignmentEpochs;
      for (int i = 0; i < topic.partitions.size(); i++) {
        int epoch = epochs == null || i >= epochs.size() ? memberEpoch : epochs.get(i);
        owned.add(topic.topicId, topic.partitions.get(i), epoch);
      }
    }
    return owned.build();
  }

  static ConsumerChange.Pattern pattern(String regex, @Nullable ByteBuffer value) {
    if (value == null) {
      return new ConsumerChange.Pattern(regex, null);
    }
    int version = value.getShort();
    ConsumerGroupRegularExpressionValue read =
        ConsumerGroupRegularExpressionValue.read(new WireReader(value), version);
    return new ConsumerChange.Pattern(
        regex,
        new ConsumerChange.Matches(new TreeSet<>(read.topics), read.version, read.timestamp));
  }
}
