package io.fencepost.testkit.junit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Waits for committed records of a topic. Not thread-safe. */
final class CommittedWait implements AutoCloseable {
  private static final int SHOWN = 10;

  private final String bootstrap;
  private final String topic;
  private final Duration patience;
  private final PartitionReader reader;
  private final TreeMap<Integer, List<ConsumerRecord<byte[], byte[]>>> seen = new TreeMap<>();

  CommittedWait(String bootstrap, String topic, Duration patience) {
    this.bootstrap = bootstrap;
    this.topic = topic;
    this.patience = patience;
    this.reader = new PartitionReader(bootstrap, true);
  }

  List<ConsumerRecord<byte[], byte[]>> await(int count) {
    Waiting.until(
        patience,
        count + " committed records in " + topic + ", for a read_committed reader",
        () -> {
          List<TopicPartition> partitions = reader.partitions(topic);
          if (!partitions.isEmpty()) {
            reader.poll(partitions, seen);
          }
          return all().size() >= count;
        },
        this::lastSeen);
    return all();
  }

  private List<ConsumerRecord<byte[], byte[]>> all() {
    List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
    seen.values().forEach(all::addAll);
    return all;
  }

  private String lastSeen() {
    List<ConsumerRecord<byte[], byte[]>> all = all();
    String last =
        all.subList(Math.max(0, all.size() - SHOWN), all.size()).stream()
            .map(
                it ->
                    "\n"
                        + it.topic()
                        + "-"
                        + it.partition()
                        + "@"
                        + it.offset()
                        + " "
                        + Records.text(it))
            .collect(Collectors.joining());
    return (all.size() == 1 ? "1 record" : all.size() + " records")
        + (all.size() > SHOWN ? ", the last " + SHOWN + " of them" : "")
        + last
        + held();
  }

  private String held() {
    if (reader.partitions(topic).isEmpty()) {
      return "\nthere is no topic " + topic;
    }
    try (LsoWait ends = new LsoWait(bootstrap, topic)) {
      return ends.isAtEnd() ? "" : "\nheld up by an open transaction: " + ends.lastSeen();
    }
  }

  @Override
  public void close() {
    reader.close();
  }
}
