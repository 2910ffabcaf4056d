package io.fencepost.streams.task;

import io.fencepost.streams.FirstSights;
import io.fencepost.streams.Job;
import io.fencepost.streams.test.Interference;
import io.fencepost.streams.test.MemoryClient;
import io.fencepost.streams.test.MemoryCluster;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * A {@link MemoryCluster} whose clients fail on a seed: before the call had effect, after it, with
 * each class of error, and by death of the process.
 */
final class FakeCluster implements Interference {
  /** The process dies here; only cluster and stores survive. */
  static final class Death extends Error {}

  private static final int MOST_PARTITIONS = 3;

  final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> input = new LinkedHashMap<>();
  private final MemoryCluster cluster = new MemoryCluster();
  private final Set<String> sinks = new LinkedHashSet<>();
  private final Random random;
  private final Map<String, Integer> faults = new LinkedHashMap<>();
  private List<ConsumerRecord<byte[], byte[]>> committedOutput = List.of();
  private boolean isOutputStale;
  private int forgotten;
  double faultRate;

  /** Above the most records of a partition that one poll returns. */
  int pollLimit = 6;

  int polls;

  /** What else happens while a transaction commits. */
  Runnable atCommit = () -> {};

  /** The next poll takes all partitions away, and the one after it gives them back. */
  boolean takesAllAway;

  /** Partitions of which no poll returns anything, though there is something. */
  final Set<TopicPartition> slow = new LinkedHashSet<>();

  /** How many records of each partition polls may have returned. */
  final Map<TopicPartition, Integer> polled = new LinkedHashMap<>();

  FakeCluster(long seed) {
    random = new Random(seed);
  }

  /** The clients of one process of that job, whose application.id is j. */
  MemoryClient clients(Job job) {
    return clients(job, "j");
  }

  MemoryClient clients(Job job, String applicationId) {
    sinks.addAll(job.sinkTopics());
    if (job.deadLetterTopic() != null) {
      sinks.add(job.deadLetterTopic());
    }
    for (TaskPlan part : new JobPlan(job, applicationId, 1 << 20).parts()) {
      sinks.addAll(part.writtenTopics());
      for (int table = 0; table < part.tableCount(); table++) {
        cluster.create(part.changelogTopic(table), MOST_PARTITIONS);
      }
    }
    sinks.forEach(topic -> cluster.create(topic, 1));
    return new MemoryClient(cluster, "j-0", this);
  }

  /** Makes this the content of the partition, of which what is there is a beginning. */
  void publish(TopicPartition partition, List<ConsumerRecord<byte[], byte[]>> log) {
    int known = input.getOrDefault(partition, List.of()).size();
    input.put(partition, List.copyOf(log));
    cluster.grow(partition.topic(), partition.partition() + 1);
    for (ConsumerRecord<byte[], byte[]> record : log.subList(known, log.size())) {
      cluster.append(
          partition,
          new Gateway.Output(
              partition.topic(),
              record.key(),
              record.value(),
              record.timestamp(),
              record.headers()));
    }
  }

  Map<TopicPartition, Long> committedOffsets() {
    return cluster.committedOffsets();
  }

  /** Everything but changelogs, in the order of sending. */
  List<ConsumerRecord<byte[], byte[]>> committedOutput() {
    if (isOutputStale) {
      List<ConsumerRecord<byte[], byte[]>> all = cluster.committed(sinks);
      committedOutput = all.subList(forgotten, all.size());
      isOutputStale = false;
    }
    return committedOutput;
  }

  /** All input comes again, and the output up to now does not count. */
  void startOver() {
    forgotten += committedOutput().size();
    isOutputStale = true;
    cluster.committedOffsets().clear();
  }

  /** The fold of a changelog, as a second opinion on the tables. */
  Map<String, Long> replay(TopicPartition changelog) {
    Map<String, Long> state = new LinkedHashMap<>();
    for (ConsumerRecord<byte[], byte[]> record : changes(changelog)) {
      if (record.key() == null) {
        FirstSights.forEach(
            record.value(),
            (key, seen) -> state.put(new String(key, StandardCharsets.UTF_8), seen));
      } else {
        state.put(new String(record.key(), StandardCharsets.UTF_8), Longs.read(record.value()));
      }
    }
    return state;
  }

  /** What a changelog leaves, whatever its types: bytes as hexadecimal text. */
  Map<String, String> fold(TopicPartition changelog) {
    Map<String, String> state = new TreeMap<>();
    for (ConsumerRecord<byte[], byte[]> record : changes(changelog)) {
      if (record.value() == null) {
        state.remove(hex(record.key()));
      } else {
        state.put(hex(record.key()), hex(record.value()));
      }
    }
    return state;
  }

  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private List<ConsumerRecord<byte[], byte[]>> changes(TopicPartition changelog) {
    List<ConsumerRecord<byte[], byte[]>> changes =
        new ArrayList<>(cluster.committed(changelog.topic()));
    changes.removeIf(record -> record.partition() != changelog.partition());
    return changes;
  }

  /** Offset after the last committed record. */
  long endOfChanges(TopicPartition changelog) {
    return changes(changelog).stream().mapToLong(record -> record.offset() + 1).max().orElse(0);
  }

  // ---- chance

  Map<String, Integer> faults() {
    return faults;
  }

  Random random() {
    return random;
  }

  /** Whether this comes now, on the same dice as the faults; counted with them. */
  boolean happens(String what) {
    boolean now = chance(faultRate / 4);
    if (now) {
      faults.merge(what, 1, Integer::sum);
    }
    return now;
  }

  private boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  @Override
  public void before(Call call) {
    polls += call == Call.POLL ? 1 : 0;
    if (call != Call.APPLY) {
      maybeFail("before " + call);
    }
  }

  @Override
  public void after(Call call) {
    if (call == Call.COMMIT) {
      isOutputStale = true;
      atCommit.run();
    }
    if (call == Call.COMMIT || call == Call.STAGE) {
      maybeFail("after " + call);
    }
  }

  private void maybeFail(String where) {
    if (!chance(faultRate)) {
      return;
    }
    int kind = random.nextInt(5);
    faults.merge(where + "/" + kind, 1, Integer::sum);
    switch (kind) {
      case 0 -> throw new TimeoutException(where);
      case 1 -> throw new CommitFailedException();
      case 2 -> throw new KafkaException("error state", new ProducerFencedException(where));
      case 3 -> throw new KafkaException(where);
      default -> throw new Death();
    }
  }

  @Override
  public int most(Call call) {
    return random.nextInt(call == Call.POLL ? pollLimit : 4);
  }

  @Override
  public int most(Call call, TopicPartition partition) {
    int most = slow.contains(partition) ? 0 : most(call);
    polled.merge(partition, most, Integer::sum);
    return most;
  }

  @Override
  public Taken taken(List<TopicPartition> assigned) {
    if (takesAllAway) {
      takesAllAway = false;
      return new Taken(assigned, false);
    }
    // Equal numbers of all topics are one task's, and move together.
    Map<Integer, Boolean> moves = new LinkedHashMap<>();
    List<TopicPartition> gone = new ArrayList<>();
    for (TopicPartition partition : assigned) {
      if (moves.computeIfAbsent(partition.partition(), unused -> chance(faultRate / 2))) {
        gone.add(partition);
      }
    }
    return new Taken(gone, !gone.isEmpty() && chance(0.5));
  }
}
