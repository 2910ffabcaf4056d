package io.fencepost.testkit.junit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;

/** Counts the records before a group in the topics that it has offsets of. Not thread-safe. */
final class LagWait implements AutoCloseable {
  private static final Comparator<TopicPartition> ORDER =
      Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition);

  private final Admin admin;
  private final PartitionReader reader;
  private final String group;
  private final boolean committed;
  private String lastSeen = "nothing";

  LagWait(Admin admin, String bootstrap, String group, IsolationLevel isolation) {
    this.admin = admin;
    this.group = group;
    this.committed = isolation == IsolationLevel.READ_COMMITTED;
    this.reader = new PartitionReader(bootstrap, committed);
  }

  String describe(long lag) {
    return "group %s has at most %d %srecords before it"
        .formatted(group, lag, committed ? "committed " : "");
  }

  boolean isAtMost(long lag) {
    Map<TopicPartition, OffsetAndMetadata> offsets = committedOffsets();
    TreeSet<String> topics = new TreeSet<>();
    offsets.keySet().forEach(it -> topics.add(it.topic()));
    if (topics.isEmpty()) {
      lastSeen = "the group has committed no offset";
      return false;
    }
    TreeMap<TopicPartition, Long> lags = new TreeMap<>(ORDER);
    List<String> shown = new ArrayList<>();
    for (String topic : topics) {
      for (TopicPartition partition : reader.partitions(topic)) {
        OffsetAndMetadata offset = offsets.get(partition);
        long from = offset == null ? reader.start(partition) : offset.offset();
        long end = reader.end(partition);
        long count = from >= end ? 0 : reader.read(partition, from, end).size();
        lags.put(partition, count);
        shown.add(
            "%s: lag %d, committed offset %s, end %d"
                .formatted(partition, count, offset == null ? "none" : offset.offset(), end));
      }
    }
    lastSeen = String.join("\n", shown);
    return lags.values().stream().mapToLong(Long::longValue).sum() <= lag;
  }

  private Map<TopicPartition, OffsetAndMetadata> committedOffsets() {
    try {
      return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RetriableException later) {
        throw later;
      }
      throw new KafkaException("offsets of group " + group + " could not be read", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaException("interrupted while offsets of group " + group + " were read", e);
    }
  }

  String lastSeen() {
    return lastSeen;
  }

  @Override
  public void close() {
    reader.close();
  }
}
