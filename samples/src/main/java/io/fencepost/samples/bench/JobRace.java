package io.fencepost.samples.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The payment-dedup job with a RocksDB store, as a process of its own, by each entry in turn: all
 * payments are there before it starts, a tenth of them twice. Entries of one broker read the same
 * topic of the same broker; a first job of each, which is not counted, warms it up.
 */
final class JobRace {
  /**
   * Who runs.
   *
   * @param name as the table calls it
   */
  record Entry(String name, Contender broker, JobProgram program) {}

  /**
   * One run of the job.
   *
   * @param appMicros CPU of the job's process per payment, its start included
   * @param brokerMicros CPU of the broker per payment while the job ran
   * @param perSecond payments by the wall clock, the job's start included
   * @param appBytes the most resident memory that the job's process had
   * @param around what else ran
   */
  record Run(
      double appMicros, double brokerMicros, double perSecond, long appBytes, Around around) {}

  static final int PARTITIONS = 4;
  private static final int KEY_BYTES = 16;
  private static final int PAYMENT_BYTES = 200;
  private static final int REPEATED_WITHIN = 100_000;
  private static final long SEED = 7;

  /** The last cycle's commit may come a moment after the job's count. */
  private static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(30);

  private static final long POLL_NANOS = Duration.ofMillis(100).toNanos();

  private final int payments;
  private final List<Entry> entries;
  private final Path rivalJars;
  private final int passes;
  private final Consumer<String> progress;
  private final CleanUp cleanUp;

  JobRace(
      int payments,
      List<Entry> entries,
      Path rivalJars,
      int passes,
      Consumer<String> progress,
      CleanUp cleanUp) {
    this.payments = payments;
    this.cleanUp = cleanUp;
    this.entries = entries;
    this.rivalJars = rivalJars;
    this.passes = passes;
    this.progress = progress;
  }

  Map<String, List<Run>> run(Path scratch) throws Exception {
    Map<String, List<Run>> results = new LinkedHashMap<>();
    entries.forEach(entry -> results.put(entry.name(), new ArrayList<>()));
    Map<Contender, Brokers> brokers = new LinkedHashMap<>();
    try {
      int distinct = 0;
      for (Entry entry : entries) {
        if (!brokers.containsKey(entry.broker())) {
          Brokers broker = entry.broker().start(Files.createTempDirectory(scratch, "broker"));
          brokers.put(entry.broker(), broker);
          Clients.createTopic(broker.bootstrap(), JobApp.PAYMENTS, PARTITIONS);
          distinct = publish(broker.bootstrap());
        }
      }
      for (int pass = 0; pass <= passes; pass++) {
        progress.accept(
            pass == 0 ? "one job each to warm up" : "job %d of %d".formatted(pass, passes));
        for (int turn = 0; turn < entries.size(); turn++) {
          int index = pass % 2 == 0 ? turn : entries.size() - 1 - turn;
          Entry entry = entries.get(index);
          Brokers broker = Objects.requireNonNull(brokers.get(entry.broker()));
          Run run = run(entry, broker, distinct, pass + "-" + turn, scratch);
          if (pass > 0) {
            Objects.requireNonNull(results.get(entry.name())).add(run);
          }
        }
      }
    } finally {
      brokers.values().forEach(Brokers::close);
    }
    return results;
  }

  private Run run(Entry entry, Brokers broker, int distinct, String name, Path scratch)
      throws Exception {
    Path directory = Files.createTempDirectory(scratch, "job");
    for (String topic :
        List.of(JobApp.charges(name), JobApp.repeated(name), HandApp.changelog(name))) {
      Clients.createTopic(broker.bootstrap(), topic, PARTITIONS);
    }
    Machine.Mark mark = Machine.mark();
    Duration before = broker.cpu();
    long begunNanos = System.nanoTime();
    Process process =
        entry.program().launch(cleanUp, rivalJars, broker.bootstrap(), directory, payments, name);
    try (BrokerProcess app = new BrokerProcess(process, broker.bootstrap(), begunNanos)) {
      awaitDone(process, directory);
      Duration wall = Duration.ofNanos(System.nanoTime() - begunNanos);
      Duration brokerCpu = broker.cpu().minus(before);
      Duration appCpu = app.cpu();
      Around around = Around.since(mark, brokerCpu.plus(appCpu), wall);
      long appBytes = app.peakBytes();
      checkOutput(broker.bootstrap(), name, distinct);
      double perSecond = payments * 1e9 / wall.toNanos();
      return new Run(micros(appCpu), micros(brokerCpu), perSecond, appBytes, around);
    }
  }

  private double micros(Duration cpu) {
    return cpu.toNanos() / 1e3 / payments;
  }

  /** Each payment must have come out once: that many as charges, and the others as repeated. */
  private void checkOutput(String bootstrap, String run, int distinct) {
    try (CommittedCount charges = new CommittedCount(bootstrap, JobApp.charges(run));
        CommittedCount repeated = new CommittedCount(bootstrap, JobApp.repeated(run))) {
      long deadline = System.nanoTime() + COMMIT_TIMEOUT.toNanos();
      while (charges.now() + repeated.now() < payments && System.nanoTime() < deadline) {
        LockSupport.parkNanos(POLL_NANOS);
      }
      if (charges.now() != distinct || repeated.now() != payments - distinct) {
        throw new IllegalStateException(
            "%,d charges and %,d repeated instead of %,d and %,d: the pass is void"
                .formatted(charges.now(), repeated.now(), distinct, payments - distinct));
      }
    }
  }

  /** Returns how many different payments there are. */
  private int publish(String bootstrap) throws Exception {
    Random random = new Random(SEED);
    byte[] value = new byte[PAYMENT_BYTES - KEY_BYTES];
    Arrays.fill(value, (byte) 'p');
    Map<String, Object> settings = Map.of("linger.ms", 20, "batch.size", 128 << 10);
    BitSet ids = new BitSet(payments);
    try (KafkaProducer<byte[], byte[]> producer = Clients.producer(bootstrap, settings);
        LogCheck log = new LogCheck(bootstrap, JobApp.PAYMENTS)) {
      int fresh = 1;
      for (int i = 0; i < payments; i++) {
        boolean isRepeated = random.nextInt(10) == 0;
        int id = isRepeated ? Math.max(0, fresh - 1 - random.nextInt(REPEATED_WITHIN)) : fresh++;
        ids.set(id);
        byte[] key =
            String.format(Locale.ROOT, "pay-%012d", id).getBytes(StandardCharsets.US_ASCII);
        var unused = producer.send(new ProducerRecord<>(JobApp.PAYMENTS, key, value));
      }
      producer.flush();
      log.grewBy(payments, 0);
    }
    return ids.cardinality();
  }

  private static void awaitDone(Process process, Path directory) throws IOException {
    @SuppressWarnings("StreamResourceLeak") // lives as long as the process
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    List<String> said = new ArrayList<>();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.equals(JobApp.DONE)) {
        return;
      }
      said.add(line);
    }
    throw new IllegalStateException(
        "the job ended early: " + said + Files.readString(directory.resolve("job.log")));
  }
}
