package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireException;
import io.fencepost.broker.wire.WireReader;
import io.fencepost.broker.wire.WireWriter;
import io.fencepost.broker.wire.message.ConsumerProtocolAssignment;
import io.fencepost.broker.wire.message.ConsumerProtocolSubscription;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The messages that classic consumers pass through the coordinator to each other. A newer version
 * than is known here begins like the newest one that is. Clients write these bytes, so anything may
 * be in them.
 */
public final class EmbeddedProtocol {
  /** The protocol type of consumers. */
  public static final String CONSUMER = "consumer";

  private EmbeddedProtocol() {}

  /** What a classic consumer subscribes to, and what it has in hand. */
  public record Subscription(
      int version, SortedSet<String> topicNames, PartitionSet owned, @Nullable String rackId) {}

  /** Null if the bytes are no subscription. Partitions of topics that are gone are left out. */
  public static @Nullable Subscription subscription(byte[] bytes, TopicsView topics) {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      short version = in.getShort();
      if (version < 0) {
        return null;
      }
      int known = Math.min(version, ConsumerProtocolSubscription.HIGHEST_VERSION);
      ConsumerProtocolSubscription read =
          ConsumerProtocolSubscription.read(new WireReader(in), known);
      PartitionSet.Builder owned = new PartitionSet.Builder();
      for (ConsumerProtocolSubscription.TopicPartition topic : read.ownedPartitions) {
        add(owned, topics.idOf(topic.topic), topic.partitions);
      }
      return new Subscription(known, new TreeSet<>(read.topics), owned.build(), read.rackId);
    } catch (BufferUnderflowException | WireException noSubscription) {
      return null;
    }
  }

  private static void add(
      PartitionSet.Builder into, @Nullable Uuid topicId, List<Integer> partitions) {
    if (topicId != null) {
      partitions.forEach(partition -> into.add(topicId, partition));
    }
  }

  /**
   * The partitions in an assignment; null if the bytes are none, or say more than partitions: what
   * an assignor of the application's own told its member would be lost.
   */
  public static @Nullable PartitionSet assignment(byte[] bytes, TopicsView topics) {
    if (bytes.length == 0) {
      return PartitionSet.EMPTY;
    }
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      short version = in.getShort();
      if (version < 0) {
        return null;
      }
      int known = Math.min(version, ConsumerProtocolAssignment.HIGHEST_VERSION);
      ConsumerProtocolAssignment read = ConsumerProtocolAssignment.read(new WireReader(in), known);
      byte[] userData = read.userData;
      if (userData != null && userData.length > 0) {
        return null;
      }
      PartitionSet.Builder assigned = new PartitionSet.Builder();
      for (ConsumerProtocolAssignment.TopicPartition topic : read.assignedPartitions) {
        add(assigned, topics.idOf(topic.topic), topic.partitions);
      }
      return assigned.build();
    } catch (BufferUnderflowException | WireException noAssignment) {
      return null;
    }
  }

  /** The partitions as an assignment of the version that a subscription has. */
  public static byte[] assignment(PartitionSet assigned, int version, TopicsView topics) {
    ConsumerProtocolAssignment message = new ConsumerProtocolAssignment();
    for (Uuid topicId : assigned.topicIds()) {
      String name = topics.nameOf(topicId);
      if (name != null) {
        ConsumerProtocolAssignment.TopicPartition topic =
            new ConsumerProtocolAssignment.TopicPartition();
        topic.topic = name;
        topic.partitions = assigned.of(topicId);
        message.assignedPartitions.add(topic);
      }
    }
    WireWriter out = new WireWriter();
    message.write(out, version);
    ByteBuffer body = out.toBuffer();
    return ByteBuffer.allocate(Short.BYTES + body.remaining())
        .putShort((short) version)
        .put(body)
        .array();
  }
}
