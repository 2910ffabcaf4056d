package io.fencepost.testkit.prove.main;

import io.fencepost.broker.main.SystemClock;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobHandle;
import io.fencepost.streams.main.JobRunner;
import io.fencepost.streams.task.JobSteps;
import io.fencepost.testkit.fault.Decision;
import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultObserver;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.FaultPoints;
import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.history.Check;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Pipeline;
import io.fencepost.testkit.history.Posting;
import io.fencepost.testkit.history.Verification;
import io.fencepost.testkit.main.TemporaryDirectory;
import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * A small deduplicating job on a server of this process, whose steps a plan may let fail, and the
 * history of what it was given and made of it.
 */
final class DedupRun {
  private static final int PAYMENTS = 20;

  /** From there on the first ones come again. */
  private static final int FIRST_REPEATED = 15;

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final long GLANCE_NANOS = 20_000_000;
  private static final TopicPartition INPUT = new TopicPartition(Pipeline.INPUT, 0);

  private final History history = new History();
  private final Faults faults;
  private final String bootstrap;

  private DedupRun(FaultPlan plan, String bootstrap) {
    this.faults =
        Faults.of(plan, new SystemClock())
            .observedBy(
                new FaultObserver() {
                  @Override
                  public void onFired(Fired fired) {
                    add(new Event.Fault(fired.fault().toString()));
                  }
                });
    this.bootstrap = bootstrap;
  }

  /** From a new server to the last check. */
  static Mutants.Played play(FaultPlan plan) {
    FencepostConfig config =
        FencepostConfig.builder().set("group.initial.rebalance.delay.ms", "0").build();
    try (TemporaryDirectory state = TemporaryDirectory.create("fencepost-mutant");
        FencepostServer server = FencepostServer.start(config)) {
      DedupRun run = new DedupRun(plan, server.bootstrapServers());
      run.run(state.path());
      return new Mutants.Played(run.history, run.faults, ofPipelines());
    }
  }

  /** The others ask for what clients sent, and the job's own are not heard. */
  private static List<Check> ofPipelines() {
    return Verification.checks().stream()
        .filter(check -> check.id().startsWith("P") || check.id().equals("E1"))
        .toList();
  }

  private synchronized void add(Event event) {
    history.add(event);
  }

  private void run(Path state) {
    createTopics();
    sendPayments();
    JobConfig config =
        JobConfig.of(
            Map.of(
                "bootstrap.servers",
                bootstrap,
                "state.dir",
                state.toString(),
                "commit.interval.ms",
                "50"));
    JobHandle handle = JobRunner.start(job(), config, this::pass);
    try {
      awaitCommitted();
    } finally {
      var unused = handle.stop(PATIENCE);
    }
    for (String topic : List.of(Pipeline.INPUT, Pipeline.ACCEPTED, Pipeline.DUPLICATES)) {
      readAll(topic);
    }
    add(new Event.Finished());
  }

  private void createTopics() {
    List<NewTopic> topics = new ArrayList<>();
    for (String topic : List.of(Pipeline.INPUT, Pipeline.ACCEPTED, Pipeline.DUPLICATES)) {
      topics.add(new NewTopic(topic, 1, (short) 1));
    }
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      admin.createTopics(topics).all().get();
    } catch (ExecutionException | InterruptedException e) {
      throw new IllegalStateException("the topics cannot be created", e);
    }
  }

  private void sendPayments() {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap),
            new StringSerializer(),
            new StringSerializer())) {
      for (int i = 0; i < PAYMENTS; i++) {
        Posting.Key key = new Posting.Key("writer", i % FIRST_REPEATED);
        Posting posting = new Posting("in:" + i, key, new BigDecimal("1.25"), "");
        var unused =
            producer.send(new ProducerRecord<>(Pipeline.INPUT, 0, key.toString(), posting.text()));
      }
    }
  }

  /** Each output names the place of its input, which is the number in the input's name. */
  private static Job job() {
    Serde<String> text = Serdes.String();
    Job job = Job.named(Pipeline.GROUP);
    job.from(Pipeline.INPUT, text, text)
        .mapValues(DedupRun::copy)
        .deduplicate(
            "seen",
            Duration.ofDays(1),
            duplicates -> duplicates.to(Pipeline.DUPLICATES, text, text))
        .to(Pipeline.ACCEPTED, text, text);
    return job;
  }

  private static String copy(String value) {
    Posting posting = Posting.parse(value);
    String number = posting.name().substring(posting.name().indexOf(':') + 1);
    return posting.copied("out:" + number, 0, Long.parseLong(number)).text();
  }

  private void pass(
      JobSteps.Step step, String worker, org.apache.kafka.common.@Nullable TopicPartition about) {
    String point = JobPoints.name(step);
    FaultFacts facts = FaultFacts.NONE.client(worker).transaction(worker);
    Decision decision = faults.decide(FaultPoints.of(point), facts);
    if (decision.change() != null) {
      throw new TimeoutException(point + " fails, as the fault plan says");
    }
  }

  private void awaitCommitted() {
    long end = System.nanoTime() + PATIENCE.toNanos();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      long committed = -1;
      while (committed < PAYMENTS) {
        if (System.nanoTime() - end > 0) {
          add(new Event.Trouble("after %s only %d are done".formatted(PATIENCE, committed)));
          return;
        }
        LockSupport.parkNanos(GLANCE_NANOS);
        add(new Event.OffsetAsked(Pipeline.GROUP, INPUT));
        committed = committed(admin);
        add(new Event.OffsetSeen(Pipeline.GROUP, INPUT, committed));
      }
    }
  }

  private static long committed(Admin admin) {
    try {
      Map<org.apache.kafka.common.TopicPartition, OffsetAndMetadata> offsets =
          admin
              .listConsumerGroupOffsets(Pipeline.GROUP)
              .partitionsToOffsetAndMetadata()
              .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      OffsetAndMetadata found =
          offsets.get(new org.apache.kafka.common.TopicPartition(Pipeline.INPUT, 0));
      return found == null ? -1 : found.offset();
    } catch (ExecutionException | InterruptedException | java.util.concurrent.TimeoutException e) {
      return -1;
    }
  }

  private void readAll(String topic) {
    var partition = new org.apache.kafka.common.TopicPartition(topic, 0);
    String scan = "scan-" + topic;
    TopicPartition scanned = new TopicPartition(topic, 0);
    add(new Event.Started(scan, Isolation.READ_COMMITTED, scanned, 0));
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed"),
            new StringDeserializer(),
            new StringDeserializer())) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
      while (consumer.position(partition) < end) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
          add(
              new Event.Read(
                  scan, Isolation.READ_COMMITTED, scanned, record.offset(), record.value()));
        }
      }
    }
  }
}
