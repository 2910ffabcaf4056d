package io.fencepost.broker.replica;

import io.fencepost.broker.log.PartitionLog;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Meters;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The partitions that this broker keeps, each in its own directory {@code topic-partition}.
 *
 * <p>Looked up by every request without a lock: the map is replaced, never changed. Opened, closed
 * and deleted under this object's lock. A directory remembers the id of its topic, so that a topic
 * of the same name that was created later never sees an older one's records.
 */
public final class Replicas {
  private final Disk disk;
  private final Clock clock;
  private final Scheduler scheduler;
  private final Consumer<String> notices;
  private final Meters meters;

  /** By topic, then partition. */
  private volatile SortedMap<String, SortedMap<Integer, PartitionGate>> topics = new TreeMap<>();

  /** Nobody reads the notices. */
  public Replicas(Disk disk, Clock clock, Scheduler scheduler) {
    this(disk, clock, scheduler, notice -> {}, Meters.NONE);
  }

  /**
   * @param notices what an operator should know
   * @param meters hears what the partitions do
   */
  public Replicas(
      Disk disk, Clock clock, Scheduler scheduler, Consumer<String> notices, Meters meters) {
    this.notices = notices;
    this.disk = disk;
    this.clock = clock;
    this.scheduler = scheduler;
    this.meters = meters;
  }

  public @Nullable PartitionGate find(TopicPartition topicPartition) {
    return find(topicPartition.topic(), topicPartition.partition());
  }

  public @Nullable PartitionGate find(String topic, int partition) {
    SortedMap<Integer, PartitionGate> partitions = topics.get(topic);
    return partitions == null ? null : partitions.get(partition);
  }

  /** Those open at this moment, by topic and partition. */
  public Iterable<PartitionGate> all() {
    List<PartitionGate> gates = new ArrayList<>();
    topics.values().forEach(partitions -> gates.addAll(partitions.values()));
    return gates;
  }

  /** The open partitions of one topic. */
  public Iterable<PartitionGate> ofTopic(String topic) {
    return topics.getOrDefault(topic, Collections.emptySortedMap()).values();
  }

  /**
   * Opens or creates partitions of one topic, as their leader; recovers their logs. Does nothing
   * for those that are open. Throws {@link io.fencepost.broker.port.DiskException}.
   *
   * @param leaderEpochs by partition
   */
  public synchronized void open(
      Uuid topicId, SortedMap<TopicPartition, Integer> leaderEpochs, PartitionConfig config) {
    TreeMap<TopicPartition, Integer> absent = new TreeMap<>(leaderEpochs);
    absent.keySet().removeIf(topicPartition -> find(topicPartition) != null);
    if (absent.isEmpty()) {
      return;
    }
    absent.keySet().forEach(topicPartition -> claim(topicPartition.toString(), topicId));
    // Also for directories that are there: a process that was killed may not have come this far.
    disk.forceDirectory("");
    absent.forEach(
        (topicPartition, leaderEpoch) ->
            replace(topicPartition, gate(topicPartition, topicId, leaderEpoch, config)));
  }

  /** The same for a single one, which it returns. */
  public synchronized PartitionGate open(
      TopicPartition topicPartition, Uuid topicId, int leaderEpoch, PartitionConfig config) {
    TreeMap<TopicPartition, Integer> one = new TreeMap<>();
    one.put(topicPartition, leaderEpoch);
    open(topicId, one, config);
    return Objects.requireNonNull(find(topicPartition));
  }

  private PartitionGate gate(
      TopicPartition topicPartition, Uuid topicId, int leaderEpoch, PartitionConfig config) {
    Partition partition =
        new Partition(
            topicPartition, () -> openLog(topicPartition, config), config, leaderEpoch, clock);
    return new PartitionGate(topicId, partition, clock, scheduler, notices, meters);
  }

  private PartitionLog openLog(TopicPartition topicPartition, PartitionConfig config) {
    PartitionLog log = PartitionLog.open(disk, topicPartition.toString(), config.log(), clock);
    String cut = log.cutAtOpen();
    if (cut != null) {
      notices.accept(topicPartition + ": " + cut);
    }
    return log;
  }

  /**
   * Moves away what an older topic of that name left, and writes down whose directory it is. It is
   * not deleted, as it may be the id that is damaged; a file without an id is damaged for sure.
   */
  private void claim(String directory, Uuid topicId) {
    String path = directory + "/" + PartitionIdentity.FILE;
    byte[] wanted = PartitionIdentity.content(topicId);
    if (disk.exists(path)) {
      byte[] found = disk.read(path);
      if (Arrays.equals(found, wanted)) {
        return;
      }
      if (PartitionIdentity.isWellFormed(found)) {
        disk.rename(directory, freeName(directory));
      }
    }
    disk.createDirectory(directory);
    disk.replace(path, wanted);
  }

  private String freeName(String directory) {
    int number = 1;
    while (disk.exists("stray-" + number + "." + directory)) {
      number++;
    }
    return "stray-" + number + "." + directory;
  }

  /** Closes the partition and deletes its files; waiting requests learn that it is gone. */
  public Effects delete(TopicPartition topicPartition) {
    PartitionGate gate;
    synchronized (this) {
      gate = find(topicPartition);
      if (gate == null) {
        return new Effects();
      }
      replace(topicPartition, null);
    }
    return gate.delete();
  }

  /** New settings for all partitions of the topic. */
  public Effects configure(String topic, PartitionConfig config) {
    Effects effects = new Effects();
    ofTopic(topic).forEach(gate -> effects.addAll(gate.configure(config)));
    return effects;
  }

  /** Lets partitions go on whose disk refused something; call it every few seconds. */
  public void repair() {
    all().forEach(PartitionGate::repair);
  }

  /** Forgets the producers that were idle for too long. */
  public void expireProducers() {
    all().forEach(PartitionGate::expireProducers);
  }

  /** Deletes what is too old or too much. */
  public void applyRetention() {
    all().forEach(gate -> gate.applyRetention(clock.wallMillis()));
  }

  /**
   * Refuses new work and waiting requests, then saves and closes all partitions. Returns what the
   * disk refused; those partitions recover when they are opened.
   */
  public List<DiskException> close(boolean isClean) {
    Iterable<PartitionGate> gates;
    synchronized (this) {
      gates = all();
      topics = new TreeMap<>();
    }
    List<DiskException> refused = new ArrayList<>();
    for (PartitionGate gate : gates) {
      DiskException failure = gate.close(isClean);
      if (failure != null) {
        refused.add(failure);
      }
    }
    return refused;
  }

  private void replace(TopicPartition topicPartition, @Nullable PartitionGate gate) {
    TreeMap<String, SortedMap<Integer, PartitionGate>> next = new TreeMap<>(topics);
    TreeMap<Integer, PartitionGate> partitions =
        new TreeMap<>(next.getOrDefault(topicPartition.topic(), new TreeMap<>()));
    if (gate == null) {
      partitions.remove(topicPartition.partition());
    } else {
      partitions.put(topicPartition.partition(), gate);
    }
    if (partitions.isEmpty()) {
      next.remove(topicPartition.topic());
    } else {
      next.put(topicPartition.topic(), partitions);
    }
    topics = next;
  }
}
