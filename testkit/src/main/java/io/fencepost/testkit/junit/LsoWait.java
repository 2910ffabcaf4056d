package io.fencepost.testkit.junit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** Compares the ends of a topic for the two isolation levels. Not thread-safe. */
final class LsoWait implements AutoCloseable {
  private final String topic;
  private final PartitionReader committed;
  private final PartitionReader everything;
  private String lastSeen = "nothing";

  LsoWait(String bootstrap, String topic) {
    this.topic = topic;
    this.committed = new PartitionReader(bootstrap, true);
    this.everything = new PartitionReader(bootstrap, false);
  }

  boolean isAtEnd() {
    List<TopicPartition> partitions = everything.partitions(topic);
    if (partitions.isEmpty()) {
      lastSeen = "there is no topic " + topic;
      return false;
    }
    // The stable end first: what is committed in between is then seen as not yet at the end.
    Map<TopicPartition, Long> stable = committed.ends(partitions);
    Map<TopicPartition, Long> ends = everything.ends(partitions);
    List<String> behind = new ArrayList<>();
    for (TopicPartition partition : partitions) {
      long lso = stable.getOrDefault(partition, 0L);
      long end = ends.getOrDefault(partition, 0L);
      if (lso < end) {
        behind.add(
            "%s: LSO %d, high watermark %d, so a transaction is open from offset %d on"
                .formatted(partition, lso, end, lso));
      }
    }
    lastSeen = String.join("\n", behind);
    return behind.isEmpty();
  }

  String lastSeen() {
    return lastSeen;
  }

  @Override
  public void close() {
    committed.close();
    everything.close();
  }
}
