package io.fencepost.streams.test;

import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobCounts;
import io.fencepost.streams.StoreSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * Tests a job without a broker, threads or waiting. What runs is the job's real engine, with its
 * transactions, changelogs and recovery, over topics in memory and a clock that the test moves:
 *
 * <pre>{@code
 * try (JobTest test = JobTest.of(job)) {
 *   TestTopic<String, String> payments = test.topic("payments", Serdes.String(), Serdes.String());
 *   payments.send("p1", "12.50").send("p1", "12.50");
 *   test.crashAt(Point.BEFORE_COMMIT);
 *   test.run();
 *   assertThat(test.topic("charges", Serdes.String(), Serdes.String()).committed()).hasSize(1);
 * }
 * }</pre>
 *
 * <p>The topics that the job names exist from the start; topics for its pattern are made by the
 * first record sent to them. Wall-clock time stands still but for {@link #advance}. Each {@link
 * #run} ends with a check that every store equals its changelog. One thread.
 */
public final class JobTest implements AutoCloseable {
  private static final Instant DEFAULT_START = Instant.parse("2026-01-01T00:00:00Z");

  private final Job job;
  private final VirtualClock clock = new VirtualClock(DEFAULT_START);
  private final Incidents incidents = new Incidents(clock);
  private final MemoryCluster cluster = new MemoryCluster();
  private final Map<String, Integer> partitions = new TreeMap<>();
  private final Map<TopicPartition, Long> readOffsets = new LinkedHashMap<>();
  private final TestedWorker worker;
  private JobConfig config = JobConfig.of(new TreeMap<>());
  private int defaultPartitions = 1;

  private JobTest(Job job) {
    this.job = job;
    this.worker = new TestedWorker(job, cluster, clock, incidents);
  }

  /** A test of that job, which starts with the first {@link #run}. */
  public static JobTest of(Job job) {
    return new JobTest(job);
  }

  // ---- before the start

  /** How many partitions the user's topics have that are not named otherwise; 1 by default. */
  public JobTest partitions(int count) {
    defaultPartitions = count;
    return this;
  }

  /** How many partitions that topic has. */
  public JobTest partitions(String topic, int count) {
    partitions.put(topic, count);
    return this;
  }

  /** Gives a topic more partitions than it had, while the job runs. */
  public JobTest grow(String topic, int newCount) {
    cluster.grow(topic, newCount);
    return this;
  }

  /**
   * The job's settings; no bootstrap.servers are needed. They count from the next start on.
   *
   * @throws IllegalArgumentException if they ask for at_least_once, as topics in memory know
   *     transactions only
   */
  public JobTest settings(JobConfig newConfig) {
    if (!newConfig.isExactlyOnce()) {
      throw new IllegalArgumentException(
          "a JobTest runs exactly_once_v2; leave processing.guarantee out of its settings");
    }
    config = newConfig;
    return this;
  }

  /** One setting more; see {@link #settings}. */
  public JobTest setting(String key, Object value) {
    return settings(config.with(key, value));
  }

  /** The wall clock at the start; 2026-01-01T00:00:00Z by default. */
  public JobTest startAt(Instant start) {
    clock.startAt(start);
    return this;
  }

  // ---- running

  /**
   * Works until all input is processed and committed and no timer is due; starts the job if it does
   * not run.
   *
   * @throws JobEndedException if the job ends by itself; the next run starts it again
   * @throws io.fencepost.streams.JobStartException if it cannot start
   * @throws IllegalStateException if it never comes to rest, or a store contradicts its changelog
   */
  public JobTest run() {
    start();
    worker.run(this::start);
    return this;
  }

  private void start() {
    createTopics();
    worker.startIfStopped(config);
  }

  private void createTopics() {
    job.sourceTopics().forEach(this::create);
    job.sinkTopics().forEach(this::create);
    String dead = job.deadLetterTopic();
    if (dead != null) {
      create(dead);
    }
  }

  private void create(String topic) {
    cluster.create(topic, partitions.getOrDefault(topic, defaultPartitions));
  }

  /** The wall clock. */
  public Instant now() {
    return clock.instant();
  }

  /** Moves the wall clock on, in one leap, and runs: timers that are due fire. */
  public JobTest advance(Duration duration) {
    start();
    clock.advance(duration);
    return run();
  }

  /** Stops the job as {@link io.fencepost.streams.JobHandle#stop} does; a new process starts. */
  public JobTest restart() {
    start();
    worker.stop();
    start();
    return this;
  }

  // ---- what goes wrong

  /**
   * Lets the process die the next time that it comes to that point; {@link #run} goes on with a new
   * one, on the same cluster and (unless {@link #loseState}) with the stored state. {@link
   * #crashes} says whether it came to that.
   */
  public JobTest crashAt(Point point) {
    return crashAt(point, 1);
  }

  /** As {@link #crashAt(Point)}, the n-th time that it comes to that point (1 is the next). */
  public JobTest crashAt(Point point, int time) {
    incidents.dieAt(point, time);
    return this;
  }

  /** Lets the process die now, between two steps of work. */
  public JobTest crash() {
    start();
    worker.onDeath();
    start();
    return this;
  }

  /** The state directory is lost with the next end of the process, be it crash or restart. */
  public JobTest loseState() {
    worker.loseStateAtEnd();
    return this;
  }

  /** The next transaction aborts, as after a rebalance that the worker did not hear of. */
  public JobTest abortNext() {
    incidents.abortNext();
    return this;
  }

  /** The next transaction is committed, but the worker does not learn whether it was. */
  public JobTest loseNextAnswer() {
    incidents.loseNextAnswer();
    return this;
  }

  /** The group takes all partitions away from the worker and gives them back, in the next run. */
  public JobTest rebalance() {
    incidents.takePartitions();
    return this;
  }

  /** How many processes have died so far. */
  public int crashes() {
    return worker.crashes();
  }

  // ---- looking

  /** A topic, to send to or to read; also the job's own, by their full names. */
  public <K, V> TestTopic<K, V> topic(String name, Serde<K> keySerde, Serde<V> valueSerde) {
    return new TestTopic<>(this, name, keySerde, valueSerde);
  }

  /** The dead letters, as text; use {@link #topic} for other types. */
  public List<TestRecord<String, String>> deadLetters() {
    String dead = job.deadLetterTopic();
    if (dead == null) {
      throw new IllegalStateException("job " + job.name() + " has no dead-letter topic");
    }
    return topic(dead, Serdes.String(), Serdes.String()).committed();
  }

  /** A store as it is committed. */
  public <K, V> TestStore<K, V> store(StoreSpec<K, V> spec) {
    return store(spec.name(), spec.keySerde(), spec.valueSerde());
  }

  /** A store that the library made, by its name. */
  public <K, V> TestStore<K, V> store(String name, Serde<K> keySerde, Serde<V> valueSerde) {
    start();
    return worker.store(name, keySerde, valueSerde);
  }

  /** Sums over all processes so far. */
  public JobCounts counts() {
    return worker.counts();
  }

  /** The group's committed offsets, by {@code TOPIC-PARTITION}. */
  public Map<String, Long> committedOffsets() {
    Map<String, Long> offsets = new TreeMap<>();
    cluster.committedOffsets().forEach((partition, at) -> offsets.put(partition.toString(), at));
    return offsets;
  }

  /** Every topic with its records, and the size of every store, for people to read. */
  public String describe() {
    StringBuilder text = new StringBuilder("job " + job.name() + " at " + now() + "\n");
    for (String topic : cluster.topics()) {
      text.append("  topic ").append(topic).append('\n');
      topic(topic, Serdes.String(), Serdes.String())
          .committed()
          .forEach(record -> text.append("    ").append(record).append('\n'));
    }
    for (StoreSpec<?, ?> spec : job.stores()) {
      int size = store(spec).entries().size();
      text.append("  store ").append(spec.name()).append(": ").append(size).append(" entries\n");
    }
    return text.toString();
  }

  /** Stops the job. */
  @Override
  public void close() {
    worker.stop();
  }

  // ---- for topics

  MemoryCluster cluster() {
    createTopics();
    return cluster;
  }

  MemoryCluster clusterWithInput(String topic) {
    worker.refuseIfUnread(topic, config);
    createTopics();
    create(topic);
    return cluster;
  }

  boolean isUnread(TestRecord<?, ?> record) {
    return record.offset() >= readOffsets.getOrDefault(partition(record), 0L);
  }

  void markRead(TestRecord<?, ?> record) {
    readOffsets.merge(partition(record), record.offset() + 1, Math::max);
  }

  private static TopicPartition partition(TestRecord<?, ?> record) {
    return new TopicPartition(record.topic(), record.partition());
  }
}
