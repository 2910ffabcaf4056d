package io.fencepost.broker.replica;

import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.cluster.ReplicaEnd;
import io.fencepost.broker.log.DamagedLogException;
import io.fencepost.broker.log.PartitionLog;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The partitions that this broker keeps, each in its own directory {@code topic-partition}.
 *
 * <p>Looked up by every request without a lock: the map is replaced, never changed. Opened, closed
 * and deleted under this object's lock. A directory remembers the id of its topic, so that a topic
 * of the same name that was created later never sees an older one's records.
 */
public final class Replicas {
  /** Directories that begin so are kept for whoever wants to look into them. */
  private static final String STRAY = "stray-";

  private final Disk disk;
  private final ReplicaWorld world;

  /**
   * Those of which something that others count on this broker to have was missing or damaged when
   * they were opened. Under this object's lock.
   */
  private final TreeSet<TopicPartition> damaged = new TreeSet<>();

  /** By topic, then partition. */
  private volatile SortedMap<String, SortedMap<Integer, PartitionGate>> topics = new TreeMap<>();

  /** Nobody else keeps replicas, nobody reads the notices. */
  public Replicas(Disk disk, Clock clock, Scheduler scheduler) {
    this(disk, ReplicaWorld.alone(clock, scheduler));
  }

  public Replicas(Disk disk, ReplicaWorld world) {
    this.disk = disk;
    this.world = world;
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
    return partitions(topic).values();
  }

  private SortedMap<Integer, PartitionGate> partitions(String topic) {
    return topics.getOrDefault(topic, Collections.emptySortedMap());
  }

  /**
   * Brings partitions of one topic into these states: opens or creates those that are not open, and
   * recovers their logs. Throws {@link io.fencepost.broker.port.DiskException}.
   */
  public void open(
      String topic, Uuid topicId, List<PartitionState> states, PartitionConfig config) {
    TreeMap<Integer, PartitionGate> opened = new TreeMap<>();
    synchronized (this) {
      List<PartitionState> absent = new ArrayList<>(states);
      absent.removeIf(state -> find(topic, state.partition()) != null);
      if (!absent.isEmpty()) {
        openAbsent(topic, topicId, absent, config, opened);
      }
    }
    for (PartitionState state : states) {
      PartitionGate gate = find(topic, state.partition());
      if (gate != null && !opened.containsKey(state.partition())) {
        gate.replication().become(state);
      }
    }
    opened.values().forEach(gate -> gate.replication().start());
  }

  private void openAbsent(
      String topic,
      Uuid topicId,
      List<PartitionState> absent,
      PartitionConfig config,
      TreeMap<Integer, PartitionGate> opened) {
    for (PartitionState state : absent) {
      TopicPartition named = new TopicPartition(topic, state.partition());
      String directory = named.toString();
      if (isKeptElsewhere(state) && state.leaderEpoch() > 0 && !disk.exists(directory)) {
        damaged.add(named);
      }
      claim(directory, topicId);
    }
    // Also for directories that are there: a process that was killed may not have come this far.
    disk.forceDirectory("");
    try {
      for (PartitionState state : absent) {
        opened.put(state.partition(), gate(topic, topicId, state, config));
      }
    } finally {
      TreeMap<Integer, PartitionGate> all = new TreeMap<>(partitions(topic));
      all.putAll(opened);
      replace(topic, all);
    }
  }

  /** Opens one whose only replica is here, and returns it. */
  public PartitionGate open(
      TopicPartition topicPartition, Uuid topicId, int leaderEpoch, PartitionConfig config) {
    List<Integer> alone = List.of(world.brokerId());
    PartitionState state =
        new PartitionState(topicPartition.partition(), world.brokerId(), leaderEpoch, alone, alone);
    open(topicPartition.topic(), topicId, List.of(state), config);
    return Objects.requireNonNull(find(topicPartition));
  }

  private PartitionGate gate(
      String topic, Uuid topicId, PartitionState state, PartitionConfig config) {
    TopicPartition named = new TopicPartition(topic, state.partition());
    try {
      return opened(named, topicId, state, config);
    } catch (DamagedLogException found) {
      if (!isKeptElsewhere(state)) {
        throw found;
      }
      String aside = freeName(named.toString());
      disk.rename(named.toString(), aside);
      claim(named.toString(), topicId);
      damaged.add(named);
      world
          .notices()
          .accept(
              "%s is damaged on broker %d; it is kept as %s and fetched again from another replica: %s"
                  .formatted(named, world.brokerId(), aside, found.getMessage()));
      return opened(named, topicId, state, config);
    }
  }

  private PartitionGate opened(
      TopicPartition named, Uuid topicId, PartitionState state, PartitionConfig config) {
    Partition partition =
        new Partition(
            named, world.brokerId(), () -> openLog(named, config), config, state, world.clock());
    if (isKeptElsewhere(state) && partition.log().cutAtOpen() != null) {
      damaged.add(named);
    }
    return new PartitionGate(topicId, partition, world);
  }

  /** Whether another replica has all that is committed. */
  private boolean isKeptElsewhere(PartitionState state) {
    return Stream.concat(state.isr().stream(), state.eligible().stream())
        .anyMatch(id -> id != world.brokerId());
  }

  /** How far each log goes: the controller must hear of it before this broker may lead. */
  public SortedMap<TopicPartition, ReplicaEnd> ends() {
    TreeSet<TopicPartition> incomplete;
    synchronized (this) {
      incomplete = new TreeSet<>(damaged);
    }
    TreeMap<TopicPartition, ReplicaEnd> ends = new TreeMap<>();
    for (PartitionGate gate : all()) {
      TopicPartition named = gate.topicPartition();
      ends.put(named, gate.replication().end(incomplete.contains(named)));
    }
    return ends;
  }

  /** A follower on another broker asks for more of a partition. */
  void serve(
      TopicPartition topicPartition, FollowerFetch fetch, Peers.Reply<FollowerAnswer> reply) {
    PartitionGate gate = find(topicPartition);
    if (gate == null) {
      reply.send(FollowerAnswer.refused(WireError.UNKNOWN_TOPIC_OR_PARTITION));
    } else {
      gate.replication().serve(fetch, reply);
    }
  }

  /** Looks for followers that lag or have caught up; call it a few times in the lag time. */
  public void checkLag() {
    all().forEach(gate -> gate.replication().checkLag());
  }

  private PartitionLog openLog(TopicPartition topicPartition, PartitionConfig config) {
    PartitionLog log =
        PartitionLog.open(disk, topicPartition.toString(), config.log(), world.clock());
    String cut = log.cutAtOpen();
    if (cut != null) {
      world.notices().accept(topicPartition + ": " + cut);
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
    while (disk.exists(STRAY + number + "." + directory)) {
      number++;
    }
    return STRAY + number + "." + directory;
  }

  /** Closes the partition and deletes its files; waiting requests learn that it is gone. */
  public Effects delete(TopicPartition topicPartition) {
    PartitionGate gate;
    synchronized (this) {
      gate = find(topicPartition);
      if (gate == null) {
        return new Effects();
      }
      TreeMap<Integer, PartitionGate> left = new TreeMap<>(partitions(topicPartition.topic()));
      left.remove(topicPartition.partition());
      replace(topicPartition.topic(), left);
    }
    return gate.delete();
  }

  /**
   * Deletes what is left of topics that were deleted while this broker was down, or in the moment
   * in which it was killed. Other partitions that are not open are moved away: the metadata has
   * lost their topic. For who has opened all that the controller says is here. What has no
   * well-formed id stays, as it may be the id that is damaged.
   *
   * @param gone ids of topics that were deleted
   */
  public synchronized void clearLeftovers(Collection<Uuid> gone) {
    TreeSet<String> open = new TreeSet<>();
    all().forEach(gate -> open.add(gate.topicPartition().toString()));
    for (String name : disk.list("")) {
      boolean isLeft = !open.contains(name) && !name.startsWith(STRAY);
      Uuid topicId = isLeft ? PartitionIdentity.topicId(disk, name) : null;
      if (topicId != null) {
        clearLeftover(name, topicId, gone.contains(topicId));
      }
    }
  }

  private void clearLeftover(String directory, Uuid topicId, boolean isGone) {
    String notice;
    try {
      if (isGone) {
        disk.delete(directory);
        notice = "%s is deleted, as its topic was".formatted(directory);
      } else {
        String aside = freeName(directory);
        disk.rename(directory, aside);
        notice =
            "%s is kept as %s: the metadata has lost its topic, whose id is %s"
                .formatted(directory, aside, topicId);
      }
    } catch (DiskException refused) {
      notice =
          "%s is of no topic that is known and cannot be moved away: %s; the next start tries again"
              .formatted(directory, refused.getMessage());
    }
    world.notices().accept(notice);
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
    all().forEach(gate -> gate.applyRetention(world.clock().wallMillis()));
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

  private void replace(String topic, SortedMap<Integer, PartitionGate> partitions) {
    TreeMap<String, SortedMap<Integer, PartitionGate>> next = new TreeMap<>(topics);
    if (partitions.isEmpty()) {
      next.remove(topic);
    } else {
      next.put(topic, partitions);
    }
    topics = next;
  }
}
