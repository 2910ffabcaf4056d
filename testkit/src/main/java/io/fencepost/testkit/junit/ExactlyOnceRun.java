package io.fencepost.testkit.junit;

import io.fencepost.broker.main.SystemClock;
import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobCounts;
import io.fencepost.streams.JobEnd;
import io.fencepost.streams.JobHandle;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.net.FaultProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of {@link ExactlyOnce} under one plan. */
final class ExactlyOnceRun {
  private static final Logger LOG = LoggerFactory.getLogger(ExactlyOnceRun.class);
  private static final Duration STOP = Duration.ofSeconds(20);
  private static final Duration SETTLED = Duration.ofSeconds(5);
  private static final int COMMITS = 10;

  private final Job job;
  private final TestCluster cluster;
  private final FaultPlan plan;
  private final List<ExactlyOnce.Given> inputs;
  private final List<ExactlyOnce.Expected> outputs;
  private final Map<String, String> settings;
  private final int partitions;
  private final Duration patience;
  private final List<Event> history = Collections.synchronizedList(new ArrayList<>());
  private final List<String> findings = new ArrayList<>();
  private final TreeMap<String, Long> committed = new TreeMap<>();

  /** Guarded by this object, as the plan may restart it. */
  private @Nullable JobHandle running;

  private @Nullable JobConfig started;
  private JobCounts counts = JobCounts.ZERO;
  private boolean isRestarting;

  ExactlyOnceRun(
      Job job,
      TestCluster cluster,
      FaultPlan plan,
      List<ExactlyOnce.Given> inputs,
      List<ExactlyOnce.Expected> outputs,
      Map<String, String> settings,
      int partitions,
      Duration patience) {
    this.job = job;
    this.cluster = cluster;
    this.plan = plan;
    this.inputs = inputs;
    this.outputs = outputs;
    this.settings = settings;
    this.partitions = partitions;
    this.patience = patience;
  }

  /**
   * Does it all.
   *
   * @throws AssertionFailedError if it is not exactly once
   */
  ExactlyOnceReport report() {
    long begun = System.nanoTime();
    Faults faults = Faults.of(plan, new SystemClock());
    createTopics();
    Map<TopicPartition, Long> ends = send();
    Path state = temporary();
    long found;
    try (Acts acts = new Acts(cluster, this::restart);
        FaultProxy proxy = FaultProxy.start(cluster.bootstrapServers(), 0, faults, acts);
        Admin admin = ClusterClients.admin(cluster.bootstrapServers(), Map.of())) {
      JobConfig config = config(proxy.bootstrapServers(), state);
      start(config);
      try {
        awaitDone(admin, ends);
      } finally {
        stop();
        faults.heal();
        acts.heal();
      }
      checkOffsets(admin, ends);
      found = checkOutputs();
      checkEnds();
    } finally {
      delete(state);
    }
    faults.unfired().forEach(it -> findings.add("S1 planned and never done: " + it));
    ExactlyOnceReport report =
        new ExactlyOnceReport(
            job.name(),
            plan,
            ends.values().stream().mapToLong(Long::longValue).sum(),
            found,
            faults.fired(),
            faults.unfired(),
            counts,
            Duration.ofNanos(System.nanoTime() - begun),
            findings);
    if (!report.isExactlyOnce()) {
      KeptFailure kept = KeptFailure.keep(plan, List.copyOf(history), report.toString());
      throw new AssertionFailedError(
          report + "\n  kept in " + kept.directory() + "\n  rerun: " + kept.rerun());
    }
    LOG.info("{}", report);
    return report;
  }

  private JobConfig config(String bootstrap, Path state) {
    long inputCount = inputs.stream().mapToLong(it -> it.records().size()).sum();
    Map<String, String> all = new LinkedHashMap<>();
    all.put("bootstrap.servers", bootstrap);
    all.put("state.dir", state.toString());
    all.put("commit.max.records", String.valueOf(Math.max(1, inputCount / COMMITS)));
    all.put("consumer.max.poll.records", String.valueOf(Math.max(1, inputCount / COMMITS)));
    all.putAll(settings);
    return JobConfig.of(all);
  }

  private void createTopics() {
    TreeSet<String> topics = new TreeSet<>(job.sinkTopics());
    topics.addAll(job.sourceTopics());
    inputs.forEach(it -> topics.add(it.topic()));
    outputs.forEach(it -> topics.add(it.topic()));
    if (job.deadLetterTopic() != null) {
      topics.add(job.deadLetterTopic());
    }
    try (PartitionReader reader = new PartitionReader(cluster.bootstrapServers(), false);
        Admin admin = ClusterClients.admin(cluster.bootstrapServers(), Map.of())) {
      TreeSet<String> there = new TreeSet<>(names(admin));
      for (String topic : topics) {
        if (!there.contains(topic)) {
          cluster.createTopic(topic, partitions);
          continue;
        }
        for (TopicPartition partition : reader.partitions(topic)) {
          if (reader.end(partition) > 0) {
            throw new IllegalStateException(
                "%s holds records already: exactly once is checked on topics that are empty at first"
                    .formatted(partition));
          }
        }
      }
    }
  }

  private static Set<String> names(Admin admin) {
    try {
      return admin.listTopics().names().get();
    } catch (ExecutionException e) {
      throw new KafkaException("topics could not be listed", e.getCause());
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private static KafkaException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new KafkaException("interrupted while exactly once was checked", e);
  }

  /** Past the proxy: what is broken is the job's traffic only. */
  private Map<TopicPartition, Long> send() {
    Map<TopicPartition, Long> ends = new LinkedHashMap<>();
    try (KafkaProducer<byte[], byte[]> producer = ClusterClients.plain(cluster.bootstrapServers());
        PartitionReader reader = new PartitionReader(cluster.bootstrapServers(), true)) {
      for (ExactlyOnce.Given given : inputs) {
        int turn = 0;
        int width = reader.partitions(given.topic()).size();
        for (KeyValue<byte[], byte[]> record : given.records()) {
          Integer partition = record.key() == null ? Integer.valueOf(turn++ % width) : null;
          RecordMetadata sent =
              producer
                  .send(
                      new ProducerRecord<>(given.topic(), partition, record.key(), record.value()))
                  .get(patience.toMillis(), TimeUnit.MILLISECONDS);
          history.add(
              new Event.Sent(
                  Event.PLAIN_PREFIX + given.topic() + "-" + sent.partition() + "-" + sent.offset(),
                  new io.fencepost.broker.wire.TopicPartition(given.topic(), sent.partition()),
                  Records.text(record.value()),
                  Outcome.OK,
                  sent.offset()));
        }
        for (TopicPartition partition : reader.partitions(given.topic())) {
          ends.put(partition, reader.end(partition));
        }
      }
      return ends;
    } catch (ExecutionException | TimeoutException e) {
      throw new KafkaException("the input could not be sent", e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private synchronized void start(JobConfig config) {
    started = config;
    running = job.start(config);
  }

  private void restart() {
    JobHandle before;
    synchronized (this) {
      before = running;
      if (before == null || started == null) {
        return;
      }
      isRestarting = true;
    }
    try {
      before.stop(STOP);
    } finally {
      synchronized (this) {
        isRestarting = false;
        if (running != null) {
          counts = counts.plus(before.counts());
          running = job.start(started);
        }
      }
    }
  }

  private void stop() {
    JobHandle last;
    synchronized (this) {
      last = running;
      running = null;
    }
    if (last == null) {
      return;
    }
    JobEnd end = last.stop(STOP);
    counts = counts.plus(last.counts());
    if (!end.isClean()) {
      findings.add("the job ended: " + end.reason() + ", " + end.detail());
    }
  }

  private void awaitDone(Admin admin, Map<TopicPartition, Long> ends) {
    String group = started == null ? job.name() : started.applicationId(job);
    long deadline = System.nanoTime() + patience.toNanos();
    long settled = 0;
    try (LagWait lag =
        new LagWait(admin, cluster.bootstrapServers(), group, IsolationLevel.READ_COMMITTED)) {
      while (System.nanoTime() - deadline < 0) {
        if (hasEnded()) {
          return;
        }
        boolean isRead = false;
        try {
          isRead = isCommitted(admin, ends, group) && lag.isAtMost(0);
        } catch (RetriableException e) {
          LOG.debug("offsets could not be seen yet", e);
        }
        if (isRead && settled == 0) {
          settled = System.nanoTime();
        }
        if (isRead && (isComplete() || System.nanoTime() - settled > SETTLED.toNanos())) {
          return;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
      findings.add(
          "E3 the job has not read its input within "
              + patience.toSeconds()
              + " s\n  "
              + lag.lastSeen());
    }
  }

  private synchronized boolean hasEnded() {
    return running != null && !isRestarting && !running.isRunning();
  }

  /** Looks at the committed offsets, which must not go back. */
  private boolean isCommitted(Admin admin, Map<TopicPartition, Long> ends, String group) {
    Map<TopicPartition, OffsetAndMetadata> offsets = offsets(admin, group);
    boolean isDone = true;
    for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
      TopicPartition partition = end.getKey();
      OffsetAndMetadata found = offsets.get(partition);
      long offset = found == null ? -1 : found.offset();
      Long before = committed.put(partition.toString(), offset);
      if (before == null || before != offset) {
        history.add(
            new Event.OffsetSeen(
                group,
                new io.fencepost.broker.wire.TopicPartition(
                    partition.topic(), partition.partition()),
                offset));
      }
      if (before != null && before > offset) {
        findings.add(
            "P3 the committed offset of %s went back from %d to %d"
                .formatted(partition, before, offset));
      }
      isDone &= Math.max(0, offset) >= end.getValue();
    }
    return isDone;
  }

  private static Map<TopicPartition, OffsetAndMetadata> offsets(Admin admin, String group) {
    try {
      return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RetriableException later) {
        throw later;
      }
      throw new KafkaException("offsets of group " + group + " could not be read", e.getCause());
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private void checkOffsets(Admin admin, Map<TopicPartition, Long> ends) {
    String group = started == null ? job.name() : started.applicationId(job);
    if (!isCommitted(admin, ends, group)) {
      ends.forEach(
          (partition, end) -> {
            long offset = committed.getOrDefault(partition.toString(), -1L);
            if (Math.max(0, offset) != end) {
              findings.add(
                  "P2 the committed offset of %s is %s, its end %d"
                      .formatted(partition, offset < 0 ? "none" : offset, end));
            }
          });
    }
  }

  private boolean isComplete() {
    for (ExactlyOnce.Expected expected : outputs) {
      if (read(expected.topic()).size() < expected.records().size()) {
        return false;
      }
    }
    return true;
  }

  private List<ConsumerRecord<byte[], byte[]>> read(String topic) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    try (PartitionReader reader = new PartitionReader(cluster.bootstrapServers(), true)) {
      for (TopicPartition partition : reader.partitions(topic)) {
        records.addAll(reader.read(partition, reader.start(partition), reader.end(partition)));
      }
    }
    return records;
  }

  private long checkOutputs() {
    long count = 0;
    for (ExactlyOnce.Expected expected : outputs) {
      List<ConsumerRecord<byte[], byte[]>> found = read(expected.topic());
      count += found.size();
      for (ConsumerRecord<byte[], byte[]> record : found) {
        history.add(
            new Event.Read(
                "output",
                Isolation.READ_COMMITTED,
                new io.fencepost.broker.wire.TopicPartition(record.topic(), record.partition()),
                record.offset(),
                Records.text(record)));
      }
      findings.addAll(OutputMatch.findings(expected, found));
    }
    return count;
  }

  private void checkEnds() {
    for (String topic : job.sinkTopics()) {
      try {
        cluster.within(STOP).awaitLsoAtEnd(topic);
      } catch (AssertionFailedError e) {
        findings.add("E1 " + e.getMessage());
      }
    }
  }

  private static Path temporary() {
    try {
      return Files.createTempDirectory("fencepost-job-");
    } catch (IOException e) {
      throw new UncheckedIOException("no directory for the job's state", e);
    }
  }

  private static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      List<Path> deepestFirst = new ArrayList<>(files.toList());
      Collections.reverse(deepestFirst);
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      LOG.warn("{} is left behind: {}", directory, e.getMessage());
    }
  }

  /** Bytes that are equal by what they hold. */
  static ByteBuffer comparable(byte @Nullable [] key, byte @Nullable [] value) {
    int keyLength = key == null ? 0 : key.length;
    int valueLength = value == null ? 0 : value.length;
    ByteBuffer bytes = ByteBuffer.allocate(keyLength + valueLength + 2 * Integer.BYTES);
    bytes.putInt(key == null ? -1 : keyLength);
    if (key != null) {
      bytes.put(key);
    }
    bytes.putInt(value == null ? -1 : valueLength);
    if (value != null) {
      bytes.put(value);
    }
    return bytes.flip();
  }
}
