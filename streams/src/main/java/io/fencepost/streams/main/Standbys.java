package io.fencepost.streams.main;

import io.fencepost.streams.RestoreProgress;
import io.fencepost.streams.client.GroupView;
import io.fencepost.streams.rocks.TaskStores;
import io.fencepost.streams.store.ChangeBatch;
import io.fencepost.streams.store.StoreOpener;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TaskId;
import io.fencepost.streams.task.ChangelogReader;
import io.fencepost.streams.task.ExpirySweep;
import io.fencepost.streams.task.Gateway;
import io.fencepost.streams.task.JobPlan;
import io.fencepost.streams.task.Replay;
import io.fencepost.streams.task.StandbyRule;
import io.fencepost.streams.task.TaskPlan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps copies of stores of tasks that other instances work on, from their changelogs, so that a
 * task that comes here has little left to read. A thread of its own chooses and reads; workers
 * {@link #open} through it, and get a copy that is held as it is: still open, still locked.
 */
final class Standbys implements Runnable, StoreOpener {
  private static final Logger log = LoggerFactory.getLogger(Standbys.class);
  private static final long CHOOSE_MS = 3_000;
  private static final long POLL_MS = 100;
  private static final long YIELD_MS = 60_000;

  private final Cluster cluster;
  private final TaskStores stores;
  private final ChangelogReader reader;
  private final Thread thread;
  private final Map<TaskId, Copy> copies = new TreeMap<>();
  private final Map<TaskId, Long> yieldedAtMs = new TreeMap<>();
  private volatile List<RestoreProgress> progress = List.of();
  private volatile boolean isStopping;
  private volatile boolean isChanged;
  private long chosenAtMs = Worker.nowMs() - CHOOSE_MS;

  /**
   * The job as this instance sees it.
   *
   * @param name for the log
   * @param tasks every task with stores
   * @param replicas how many copies of each there shall be
   */
  record Cluster(
      String name,
      String instance,
      JobPlan plan,
      GroupView group,
      Map<TaskId, TaskPlan> tasks,
      int replicas) {}

  /** One task's tables. */
  private record Copy(
      TaskId task, TaskPlan plan, StoreTable tables, Map<TopicPartition, Way> ways) {}

  /** One table's way along its changelog. */
  private static final class Way {
    final int table;
    final long from;
    final @Nullable ExpirySweep sweep;
    long end;
    long records;

    Way(TaskPlan plan, int table, long from) {
      this.table = table;
      this.from = from;
      this.sweep = ExpirySweep.of(plan, table);
    }
  }

  Standbys(Cluster cluster, TaskStores stores, ChangelogReader reader) {
    this.cluster = cluster;
    this.stores = stores;
    this.reader = reader;
    this.thread = new Thread(this, cluster.name() + "-standby");
  }

  void start() {
    if (cluster.replicas() > 0) {
      thread.setDaemon(true);
      thread.start();
    }
  }

  List<RestoreProgress> progress() {
    return progress;
  }

  /** Asks the thread to end; {@link #close} waits for it. */
  void stop() {
    isStopping = true;
  }

  /** Whether every store is closed, so that their memory may go. */
  boolean close() {
    isStopping = true;
    try {
      for (int i = 0; i < 2 && thread.isAlive(); i++) {
        thread.join(TimeUnit.SECONDS.toMillis(3));
        if (thread.isAlive()) {
          thread.interrupt();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }

  @Override
  public synchronized @Nullable StoreTable open(TaskId task) {
    Copy copy = copies.remove(task);
    if (copy == null) {
      return stores.open(task);
    }
    isChanged = true;
    log.info("{}: the standby copy of task {} becomes its state", cluster.name(), task);
    return copy.tables();
  }

  @Override
  public void run() {
    while (!isStopping) {
      step(Worker.nowMs());
    }
    release(cluster.tasks().keySet());
    progress = List.of();
    try {
      reader.close();
    } catch (RuntimeException e) {
      log.warn("{}: the standby reader did not close cleanly", cluster.name(), e);
    }
  }

  /** A bounded piece of work, all that the thread does. */
  void step(long nowMs) {
    try {
      if (nowMs - chosenAtMs >= CHOOSE_MS) {
        chosenAtMs = nowMs;
        chooseIfTheGroupAnswers();
      }
      follow();
    } catch (RuntimeException e) {
      if (!isStopping) {
        log.warn("{}: standby copies are given up for now", cluster.name(), e);
      }
      release(new TreeSet<>(copies.keySet()));
    }
  }

  // ---- which

  private void chooseIfTheGroupAnswers() {
    try {
      choose();
    } catch (RetriableException e) {
      log.info("{}: standby copies stay as they are: {}", cluster.name(), e.toString());
    }
  }

  private void choose() {
    List<GroupView.Member> members = cluster.group().members();
    Map<TaskId, String> owners = new TreeMap<>();
    TreeSet<String> instances = new TreeSet<>();
    for (GroupView.Member member : members) {
      String instance = member.instance();
      if (instance != null) {
        instances.add(instance);
        for (TopicPartition input : member.partitions()) {
          TaskId task = cluster.plan().maybeTask(input);
          if (task != null) {
            owners.put(task, instance);
          }
        }
      }
    }
    TreeSet<TaskId> unwanted = new TreeSet<>();
    for (TaskId task : cluster.tasks().keySet()) {
      String owner = owners.get(task);
      if (owner == null || owner.equals(cluster.instance())) {
        continue; // the group rebalances, or a worker is about to take the copy over
      }
      boolean isMine =
          StandbyRule.holders(task, owner, instances, cluster.replicas())
              .contains(cluster.instance());
      if (!isMine || stores.isWanted(task)) {
        unwanted.add(task);
      } else if (!hasYielded(task)) {
        take(task);
      }
    }
    release(unwanted);
    if (!copies().isEmpty()) {
      findEnds();
    }
  }

  /** Another instance with the same state directory waits for it. */
  private boolean hasYielded(TaskId task) {
    Long at = yieldedAtMs.get(task);
    return at != null && Worker.nowMs() - at < YIELD_MS;
  }

  private synchronized void take(TaskId task) {
    TaskPlan plan = cluster.tasks().get(task);
    if (plan == null || copies.containsKey(task) || stores.opened(task) != null) {
      return;
    }
    StoreTable tables = stores.openIfFree(task);
    if (tables != null) {
      copies.put(task, new Copy(task, plan, tables, new LinkedHashMap<>()));
      isChanged = true;
      log.info("{}: keeps a standby copy of task {}", cluster.name(), task);
    }
  }

  private synchronized void release(Iterable<TaskId> tasks) {
    for (TaskId task : tasks) {
      Copy copy = copies.remove(task);
      if (copy != null) {
        isChanged = true;
        copy.tables().close();
        log.info("{}: no longer keeps a standby copy of task {}", cluster.name(), task);
      }
    }
  }

  private synchronized List<Copy> copies() {
    return new ArrayList<>(copies.values());
  }

  // ---- keeping up

  private void follow() {
    yieldWhatOthersWaitFor();
    if (isChanged) {
      assign();
    }
    if (copies().isEmpty()) {
      progress = List.of();
      idle();
      return;
    }
    for (Gateway.Batch batch : reader.poll(POLL_MS)) {
      apply(batch);
    }
    progress = measure();
  }

  private static void idle() {
    try {
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void yieldWhatOthersWaitFor() {
    for (Copy copy : copies()) {
      if (stores.isWanted(copy.task())) {
        yieldedAtMs.put(copy.task(), Worker.nowMs());
        release(List.of(copy.task()));
      }
    }
  }

  private void assign() {
    List<TopicPartition> changelogs = new ArrayList<>();
    for (Copy copy : copies()) {
      changelogs.addAll(changelogs(copy));
    }
    Map<TopicPartition, Long> starts = reader.startOffsets(changelogs);
    Map<TopicPartition, Long> ends = reader.endOffsets(changelogs);
    Map<TopicPartition, Long> from = new LinkedHashMap<>();
    synchronized (this) {
      isChanged = false;
      for (Copy copy : copies.values()) {
        List<TopicPartition> own = changelogs(copy);
        for (int table = 0; table < own.size(); table++) {
          TopicPartition changelog = own.get(table);
          if (!ends.containsKey(changelog)) {
            isChanged = true; // it came meanwhile
            continue;
          }
          long start = starts.getOrDefault(changelog, 0L);
          long end = ends.getOrDefault(changelog, 0L);
          String why =
              Replay.contradiction(copy.tables().restorePoint(table), changelog, start, end);
          if (why != null) {
            copy.tables().clear(table, why);
          }
          Replay.clearIfStale(copy.tables(), table, end);
          long stored = copy.tables().restorePoint(table).position();
          long position = Math.max(start, Math.min(stored, end));
          Way way = copy.ways().get(changelog);
          if (way == null) {
            way = new Way(copy.plan(), table, position);
            copy.ways().put(changelog, way);
          }
          way.end = end;
          from.put(changelog, position);
        }
      }
    }
    reader.assign(from);
  }

  private static List<TopicPartition> changelogs(Copy copy) {
    List<TopicPartition> changelogs = new ArrayList<>();
    for (int table = 0; table < copy.plan().tableCount(); table++) {
      changelogs.add(copy.plan().changelog(table, copy.task().partition()));
    }
    return changelogs;
  }

  /** Not while a worker takes the copy over: from then on it alone writes. */
  private synchronized void apply(Gateway.Batch batch) {
    for (Copy copy : copies.values()) {
      Way way = copy.ways().get(batch.partition());
      if (way != null) {
        long position = reader.position(batch.partition());
        way.records += Replay.apply(copy.plan(), way.table, copy.tables(), batch, position);
        forgetOldEntries(way, copy.tables());
      }
    }
  }

  private static void forgetOldEntries(Way way, StoreTable tables) {
    if (way.sweep != null) {
      ChangeBatch deletions = new ChangeBatch();
      way.sweep.sweep(tables, tables.restorePoint(way.table).newestMs(), deletions);
      if (!deletions.changes().isEmpty()) {
        tables.apply(deletions);
      }
    }
  }

  private void findEnds() {
    List<TopicPartition> changelogs = new ArrayList<>();
    copies().forEach(copy -> changelogs.addAll(copy.ways().keySet()));
    Map<TopicPartition, Long> ends = reader.endOffsets(changelogs);
    for (Copy copy : copies()) {
      copy.ways().forEach((changelog, way) -> way.end = ends.getOrDefault(changelog, way.end));
    }
    noteComplete();
  }

  /** Not while a worker takes the copy over, which may close it. */
  private synchronized void noteComplete() {
    for (Copy copy : copies.values()) {
      copy.ways()
          .forEach(
              (changelog, way) -> {
                if (reader.position(changelog) >= way.end) {
                  copy.tables().noteComplete(way.table);
                }
              });
    }
  }

  private List<RestoreProgress> measure() {
    List<RestoreProgress> all = new ArrayList<>();
    for (Copy copy : copies()) {
      copy.ways()
          .forEach(
              (changelog, way) ->
                  all.add(
                      new RestoreProgress(
                          copy.task().toString(),
                          copy.task().partition(),
                          copy.plan().stores().get(way.table).name(),
                          way.from,
                          reader.position(changelog),
                          way.end,
                          way.records,
                          0)));
    }
    return all;
  }
}
