package io.fencepost.streams.test;

import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobCounts;
import io.fencepost.streams.JobEnd;
import io.fencepost.streams.JobStartException;
import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TaskId;
import io.fencepost.streams.task.Ending;
import io.fencepost.streams.task.FencingId;
import io.fencepost.streams.task.JobPlan;
import io.fencepost.streams.task.Journal;
import io.fencepost.streams.task.Lanes;
import io.fencepost.streams.task.LoopSettings;
import io.fencepost.streams.task.PartitionCounts;
import io.fencepost.streams.task.Replay;
import io.fencepost.streams.task.TaskLoop;
import io.fencepost.streams.task.TaskPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

/** The one worker of a {@link JobTest}, one process after the other. */
final class TestedWorker implements Journal {
  private static final int MOST_STEPS = 100_000;
  private static final int MOST_COMMITS = 1_000;

  /** Up to 10000 timers fire in each. */
  private static final int MOST_COMMITS_IN_VAIN = 10;

  private final Job job;
  private final MemoryCluster cluster;
  private final VirtualClock clock;
  private final Incidents incidents;
  private final MemoryDisk disk;
  private final List<String> notes = new ArrayList<>();
  private Map<TaskPlan, Integer> partitions = new LinkedHashMap<>();
  private JobCounts ended = JobCounts.ZERO;
  private int crashes;
  private boolean losesState;
  private @Nullable Incarnation process;

  private record Incarnation(TaskLoop loop, MemoryClient client) {}

  TestedWorker(Job job, MemoryCluster cluster, VirtualClock clock, Incidents incidents) {
    this.job = job;
    this.cluster = cluster;
    this.clock = clock;
    this.incidents = incidents;
    this.disk = new MemoryDisk(incidents);
  }

  int crashes() {
    return crashes;
  }

  JobCounts counts() {
    Incarnation running = process;
    return running == null ? ended : ended.plus(running.loop().counts());
  }

  void refuseIfUnread(String topic, JobConfig config) {
    plan(config).of(topic);
  }

  private JobPlan plan(JobConfig config) {
    return new JobPlan(job, config.applicationId(job), config.maxRequestBytes());
  }

  // ---- the life of a process

  void startIfStopped(JobConfig config) {
    if (process != null) {
      return;
    }
    if (job.sources().isEmpty()) {
      throw new JobStartException("job " + job.name() + " reads no topic; begin with from(...)");
    }
    JobPlan plan = plan(config);
    partitions = PartitionCounts.of(plan, part -> sourceCounts(plan, part));
    partitions.forEach(this::ensureOwnTopics);
    disk.attach(plan);
    String id = new FencingId(config.applicationId(job), "test", 0).transactionalId();
    MemoryClient client = new MemoryClient(cluster, id, incidents);
    TaskLoop loop =
        new TaskLoop(
            plan, LoopSettings.of(config), client, client.reader(), disk, this, clock, Lanes.NONE);
    process = new Incarnation(loop, client);
  }

  private SortedMap<String, Integer> sourceCounts(JobPlan plan, TaskPlan part) {
    SortedMap<String, Integer> counts = new TreeMap<>();
    for (String topic : cluster.topics()) {
      boolean isNamed = part.topics().contains(topic) && !part.ownTopics().contains(topic);
      if (isNamed || (part.pattern() != null && plan.isMatched(topic))) {
        counts.put(topic, cluster.partitions(topic));
      }
    }
    return counts;
  }

  private void ensureOwnTopics(TaskPlan part, int count) {
    List<String> own = new ArrayList<>(part.ownTopics());
    for (int table = 0; table < part.tableCount(); table++) {
      own.add(part.changelog(table, 0).topic());
    }
    for (String topic : own) {
      cluster.create(topic, count);
      if (cluster.partitions(topic) != count) {
        throw new JobStartException(
            "topic "
                + topic
                + " has "
                + cluster.partitions(topic)
                + " partitions, the source topics have "
                + count);
      }
    }
  }

  /** As a real worker ends: commits, frees the stores, leaves the group. */
  void stop() {
    Incarnation stopping = process;
    if (stopping == null) {
      return;
    }
    try {
      stopping.loop().settle();
      stopping.loop().close(0);
      forgetProcess(stopping);
    } catch (Incidents.Death e) {
      onDeath();
    }
  }

  void onDeath() {
    Incarnation dead = process;
    if (dead != null) {
      crashes++;
      forgetProcess(dead);
    }
  }

  private void forgetProcess(Incarnation gone) {
    ended = ended.plus(gone.loop().counts());
    process = null;
    if (losesState) {
      disk.lose();
      losesState = false;
    }
  }

  void loseStateAtEnd() {
    losesState = true;
  }

  // ---- work

  void run(Runnable restart) {
    Bounds bounds = new Bounds();
    while (true) {
      Incarnation running = process;
      if (running == null) {
        restart.run();
        continue;
      }
      long activity = running.client().activity();
      boolean goesOn;
      try {
        goesOn = running.loop().step(clock.elapsedMs());
      } catch (Incidents.Death e) {
        onDeath();
        continue;
      } catch (Throwable e) {
        throw endWith(Ending.thrown(e));
      }
      JobEnd end = running.loop().end();
      if (!goesOn && end != null) {
        throw endWith(end);
      }
      if (running.client().activity() == activity && running.client().isAtRest()) {
        break;
      }
      bounds.check(running);
    }
    checkStores();
  }

  private JobEndedException endWith(JobEnd end) {
    stop();
    return new JobEndedException(job.name(), end);
  }

  /**
   * Stops a job that works for ever without any input. Timers and windows that are due in great
   * number leave their stores as they are worked off; who works on and on, and no store becomes
   * smaller, sets its timer again.
   */
  private final class Bounds {
    private long delivered = -1;
    private long commitsBefore;
    private long commitsAtLeast;
    private long leastEntries = Long.MAX_VALUE;
    private int steps;

    void check(Incarnation running) {
      if (running.client().delivered() != delivered) {
        delivered = running.client().delivered();
        commitsBefore = counts().commits();
        steps = 0;
        leastEntries = Long.MAX_VALUE;
      }
      steps++;
      long commits = counts().commits();
      long entries = entries();
      if (commits == commitsBefore || entries < leastEntries) {
        // The commit of the input itself may write as much as it likes.
        leastEntries = commits == commitsBefore ? Long.MAX_VALUE : entries;
        commitsAtLeast = commits;
      }
      if (steps > MOST_STEPS
          || commits - commitsBefore > MOST_COMMITS
          || commits - commitsAtLeast > MOST_COMMITS_IN_VAIN) {
        throw new IllegalStateException(
            "job "
                + job.name()
                + " does not come to rest: "
                + (commits - commitsBefore)
                + " transactions without input (does a timer set itself again for a time that has"
                + " come, or for very many of them? then advance in smaller steps); last notes: "
                + notes.subList(Math.max(0, notes.size() - 5), notes.size()));
      }
    }
  }

  // ---- stores

  private long entries() {
    long entries = 0;
    for (TaskPlan part : partitions.keySet()) {
      for (StoreTable tables : tables(part).values()) {
        for (int table = 0; table < part.tableCount(); table++) {
          entries += tables.size(table).keys();
        }
      }
    }
    return entries;
  }

  <K, V> TestStore<K, V> store(String name, Serde<K> keySerde, Serde<V> valueSerde) {
    for (TaskPlan part : partitions.keySet()) {
      List<String> names = part.stores().stream().<String>map(StoreSpec::name).toList();
      if (names.contains(name)) {
        int table = names.indexOf(name);
        boolean hasTime = part.stores().get(table).kind() == StoreSpec.Kind.TIMED;
        return new TestStore<>(
            name, keySerde, valueSerde, new TestStore.Place(tables(part), table, hasTime));
      }
    }
    List<String> all = job.stores().stream().<String>map(StoreSpec::name).toList();
    throw new IllegalArgumentException("the job has no store " + name + "; it has " + all);
  }

  private SortedMap<Integer, StoreTable> tables(TaskPlan part) {
    SortedMap<Integer, StoreTable> tables = new TreeMap<>();
    for (int partition = 0; partition < partitions.getOrDefault(part, 0); partition++) {
      StoreTable stored = disk.stored(new TaskId(part.name(), partition));
      if (stored != null) {
        tables.put(partition, stored);
      }
    }
    return tables;
  }

  /** The invariant of the engine at rest: a table is the replay of its changelog. */
  private void checkStores() {
    for (TaskPlan part : partitions.keySet()) {
      tables(part)
          .forEach(
              (partition, tables) -> {
                for (int table = 0; table < part.tableCount(); table++) {
                  check(part, partition, tables, table);
                }
              });
    }
  }

  private void check(TaskPlan part, int partition, StoreTable tables, int table) {
    TopicPartition changelog = part.changelog(table, partition);
    TreeMap<byte[], byte[]> replayed = new TreeMap<>(Arrays::compareUnsigned);
    for (ConsumerRecord<byte[], byte[]> record : cluster.read(changelog)) {
      Replay.forEachChange(
          part,
          table,
          record,
          (key, value) -> {
            if (value == null || Replay.isForgotten(part, table, tables, value)) {
              replayed.remove(key);
            } else {
              replayed.put(key, value);
            }
          });
    }
    int[] stored = {0};
    boolean[] differs = {false};
    tables.scan(
        table,
        null,
        null,
        (key, value) -> {
          if (Replay.isForgotten(part, table, tables, value)) {
            return true;
          }
          stored[0]++;
          differs[0] |= !Arrays.equals(replayed.get(key), value);
          return true;
        });
    if (differs[0] || stored[0] != replayed.size()) {
      throw new IllegalStateException(
          "the store behind "
              + changelog
              + " has "
              + stored[0]
              + " entries and is not what its changelog says ("
              + replayed.size()
              + " entries)");
    }
  }

  @Override
  public void note(String fact) {
    notes.add(fact);
  }

  @Override
  public void warn(String fact, @Nullable Throwable cause) {
    notes.add(fact);
  }
}
