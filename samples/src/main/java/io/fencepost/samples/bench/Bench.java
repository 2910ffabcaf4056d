package io.fencepost.samples.bench;

import io.fencepost.broker.disk.FileDisk;
import io.fencepost.samples.report.Table;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * All comparisons with Apache Kafka, each a table of medians, spreads and ratios. What was
 * acknowledged is held against the log after each pass; a difference ends the run.
 */
public final class Bench {
  /** What can be measured. */
  public enum Part {
    EMBEDDED,
    START,
    TRANSACTIONS,
    PRODUCE,
    LATENCY,
    JOB,
    STREAMS,
    RECOVERY,
    HEAP,
    CLUSTER_START,
    CLUSTER_COMMIT,
    FAILOVER,
    COORDINATOR_FAILOVER;

    /** As on the command line. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * How long and how often.
   *
   * @param warmUp of each broker before the first measured pass
   * @param passes measured passes of each broker, in alternating order
   * @param rows of 1 KiB in the store of {@link Part#RECOVERY}
   */
  public record Effort(Duration warmUp, int passes, int rows) {}

  /**
   * One table, the sentence above it, and what to know when reading it.
   *
   * @param notes one sentence each; may be empty
   */
  public record Section(String title, Table table, List<String> notes) {}

  private static final int EMBEDDED_WARM_UPS = 20;
  private static final int EMBEDDED_STARTS = 20;
  private static final int TRANSACTIONS_PER_PASS = 2_000;
  private static final int RECORDS_PER_PASS = 300_000;
  private static final int RECORD_BYTES = 1_024;
  private static final int RECORDS_PER_SECOND = 5_000;
  private static final Duration LATENCY_PASS = Duration.ofSeconds(10);
  private static final int PAYMENTS_PER_JOB = 500_000;
  private static final int PAYMENTS_PER_STREAMS_JOB = 1_000_000;
  private static final int IDLE_PRODUCERS = 1_000_000;

  private final Path root;
  private final Effort effort;
  private final Consumer<String> progress;

  /**
   * @param root the directory of the {@code fencepost} script and the modules
   * @param progress gets a line whenever a phase begins
   */
  public Bench(Path root, Effort effort, Consumer<String> progress) {
    this.root = root;
    this.effort = effort;
    this.progress = progress;
  }

  /**
   * Runs one part; nothing else should run on the machine meanwhile. Leaves no process and no
   * directory behind, also if it fails or the JVM is told to end.
   */
  public Section run(Part part) throws Exception {
    try (CleanUp cleanUp = new CleanUp()) {
      return switch (part) {
        case EMBEDDED -> embedded();
        case START -> start(cleanUp);
        case TRANSACTIONS -> duel(new TransactionWorkload(TRANSACTIONS_PER_PASS), cleanUp);
        case PRODUCE ->
            duel(ProduceWorkload.asFastAsPossible(RECORD_BYTES, RECORDS_PER_PASS), cleanUp);
        case LATENCY ->
            duel(ProduceWorkload.atRate(RECORD_BYTES, RECORDS_PER_SECOND, LATENCY_PASS), cleanUp);
        case JOB -> job(cleanUp);
        case STREAMS -> streams(cleanUp);
        case RECOVERY -> recovery(cleanUp);
        case HEAP -> heap(cleanUp);
        case CLUSTER_START -> clusters(cleanUp).start(effort.passes());
        case CLUSTER_COMMIT -> clusters(cleanUp).commit(effort.warmUp(), effort.passes());
        case FAILOVER -> clusters(cleanUp).failover(effort.passes());
        case COORDINATOR_FAILOVER -> clusters(cleanUp).coordinatorFailover(effort.passes());
      };
    }
  }

  /** Cores, load and Java, for the foot of a report. */
  public static String machine() {
    return Machine.describe();
  }

  private Section embedded() throws Exception {
    progress.accept("embedded starts");
    Map<Integer, List<EmbeddedStart.Start>> results =
        new EmbeddedStart(EMBEDDED_WARM_UPS, EMBEDDED_STARTS)
            .run(List.of(EmbeddedStart.DEFAULT_BACKOFF_MS, 1));
    Table table = new Table("start to first committed transaction", "median", "min", "max");
    results.forEach(
        (backoffMs, starts) -> {
          String settings = "retry.backoff.ms=" + backoffMs;
          spread(table, settings + ", ms", Spread.of(starts, EmbeddedStart.Start::millis));
          spread(
              table,
              settings + ", CPU that others took, %",
              Spread.of(starts, it -> it.around().othersPercent()));
        });
    return new Section(
        "embedded broker in a warm JVM, %d starts after %d, the client's set-up included"
            .formatted(EMBEDDED_STARTS, EMBEDDED_WARM_UPS),
        table,
        List.of(
            "The 4.4 producer sleeps retry.backoff.ms (%d unless set) once inside initTransactions on any broker,"
                .formatted(EmbeddedStart.DEFAULT_BACKOFF_MS),
            "because it queues InitProducerId before it knows the coordinator: the row with 1 ms is"
                + " the broker's share."));
  }

  private Section start(CleanUp cleanUp) throws Exception {
    var results =
        new StartRace(contenders(cleanUp), new TransactionWorkload(1), effort.passes(), progress)
            .run(cleanUp.directory());
    return new Section(
        "process start with an empty directory to the first committed transaction",
        StartRace.table(results),
        List.of("Each log held exactly one record and one marker."));
  }

  private Section job(CleanUp cleanUp) throws Exception {
    List<JobRace.Entry> entries =
        contenders(cleanUp).stream()
            .map(broker -> new JobRace.Entry(broker.name(), broker, JobProgram.FENCEPOST))
            .toList();
    return jobs("payment-dedup job", entries, PAYMENTS_PER_JOB, cleanUp);
  }

  private Section streams(CleanUp cleanUp) throws Exception {
    Contender kafka = new KafkaContender(kafka(cleanUp));
    List<JobRace.Entry> entries =
        Stream.of(JobProgram.values())
            .map(program -> new JobRace.Entry(program.title(), kafka, program))
            .toList();
    return jobs(
        "payment-dedup against Kafka Streams (exactly_once_v2, transactional state stores), both on"
            + " Apache Kafka 4.4.0",
        entries,
        PAYMENTS_PER_STREAMS_JOB,
        cleanUp);
  }

  private Section recovery(CleanUp cleanUp) throws Exception {
    RecoveryRace race =
        new RecoveryRace(
            effort.rows(),
            new KafkaContender(kafka(cleanUp)),
            ReferenceJars.find(root),
            effort.passes(),
            progress,
            cleanUp);
    return new Section(
        ("kill -9 of a job with %,d rows of 1 KiB in its RocksDB store: start of the process to the"
                + " first committed output, on Apache Kafka 4.4.0, exactly_once_v2")
            .formatted(effort.rows()),
        RecoveryRace.table(race.run(cleanUp.directory())),
        List.of(
            "All have the default session timeout of 45 s. Kafka Streams waits for it unless its"
                + " members are static."));
  }

  private Section jobs(String title, List<JobRace.Entry> entries, int payments, CleanUp cleanUp)
      throws Exception {
    JobRace race =
        new JobRace(
            payments, entries, ReferenceJars.find(root), effort.passes(), progress, cleanUp);
    return new Section(
        "%s, %,d payments of 200 B, 10 %% repeated, RocksDB, 2 workers, a commit every 100 ms"
            .formatted(title, payments),
        new Comparison<>(race.run(cleanUp.directory()))
            .row("app CPU per payment, µs", JobRace.Run::appMicros)
            .row("broker CPU per payment, µs", JobRace.Run::brokerMicros)
            .row("payments per second", JobRace.Run::perSecond)
            .row("app's peak resident memory, MiB", it -> Comparison.mebibytes(it.appBytes()))
            .around(JobRace.Run::around)
            .table(),
        List.of("A committed reader found each payment once: charged, or told as repeated."));
  }

  private Section duel(Workload workload, CleanUp cleanUp) throws Exception {
    Map<String, List<Pass>> results =
        new Duel(contenders(cleanUp), effort.warmUp(), effort.passes(), progress)
            .run(workload, cleanUp.directory());
    return Duel.section(workload, results);
  }

  private Section heap(CleanUp cleanUp) {
    Table table = new Table("figure", "median", "min", "max");
    ProducerHeap heap = new ProducerHeap(IDLE_PRODUCERS, new FileDisk(cleanUp.directory()));
    for (int batches : new int[] {1, 5}) {
      String each = batches == 1 ? "one batch" : batches + " batches";
      List<ProducerHeap.Figures> figures = heap.run(batches, effort.passes(), progress);
      spread(
          table,
          "heap per id, " + each + ", bytes",
          Spread.of(figures, ProducerHeap.Figures::bytesPerId));
      spread(
          table,
          "snapshot write, " + each + ", ms",
          Spread.of(figures, it -> it.write().wallMillis()));
      spread(
          table,
          "snapshot write, " + each + ", ms of CPU",
          Spread.of(figures, it -> it.write().cpuMillis()));
      spread(
          table,
          "snapshot load, " + each + ", ms",
          Spread.of(figures, it -> it.load().wallMillis()));
      spread(
          table,
          "snapshot load, " + each + ", ms of CPU",
          Spread.of(figures, it -> it.load().cpuMillis()));
      spread(
          table,
          "snapshot, " + each + ", MiB",
          Spread.of(figures, it -> it.snapshotBytes() / 1024 / 1024));
    }
    return new Section(
        "%,d idle idempotent producers in one partition".formatted(IDLE_PRODUCERS),
        table,
        List.of("Apache Kafka 4.4.0 takes 268 bytes of heap an id that has written one batch."));
  }

  /** The reference comes last; both durabilities of ours stand beside it, the comparable first. */
  private List<Contender> contenders(CleanUp cleanUp) {
    return List.of(
        FencepostContender.broker(root, "os", cleanUp),
        FencepostContender.broker(root, "group", cleanUp),
        new KafkaContender(kafka(cleanUp)));
  }

  private ClusterBench clusters(CleanUp cleanUp) {
    return new ClusterBench(root, kafka(cleanUp), cleanUp, progress);
  }

  private KafkaPrograms kafka(CleanUp cleanUp) {
    return new KafkaPrograms(ReferenceJars.find(root), cleanUp);
  }

  private static void spread(Table table, String figure, Spread spread) {
    table.row(
        figure,
        Comparison.shown(spread.median()),
        Comparison.shown(spread.min()),
        Comparison.shown(spread.max()));
  }
}
