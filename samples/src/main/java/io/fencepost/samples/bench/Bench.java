package io.fencepost.samples.bench;

import io.fencepost.samples.client.TemporaryDirectory;
import io.fencepost.samples.report.Table;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/** All comparisons with Apache Kafka, each a table of medians, spreads and ratios. */
public final class Bench {
  /** What can be measured. */
  public enum Part {
    EMBEDDED,
    START,
    TRANSACTIONS,
    PRODUCE,
    JOB
  }

  /**
   * How long and how often.
   *
   * @param warmUp of each broker before the first measured pass
   * @param passes measured passes of each broker, in alternating order
   */
  public record Effort(Duration warmUp, int passes) {}

  /** One table and the sentence above it. */
  public record Section(String title, Table table) {}

  private static final int EMBEDDED_STARTS = 20;
  private static final int TRANSACTIONS_PER_PASS = 2_000;
  private static final int RECORDS_PER_PASS = 300_000;
  private static final int RECORD_BYTES = 1_024;
  private static final int PAYMENTS_PER_JOB = 500_000;

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

  /** Runs one part; nothing else should run on the machine meanwhile. */
  public Section run(Part part) throws Exception {
    try (TemporaryDirectory scratch = TemporaryDirectory.create("fencepost-bench")) {
      return switch (part) {
        case EMBEDDED -> embedded();
        case START -> start(scratch.path());
        case TRANSACTIONS -> duel(new TransactionWorkload(TRANSACTIONS_PER_PASS), scratch.path());
        case JOB -> job(scratch.path());
        case PRODUCE -> duel(new ProduceWorkload(RECORD_BYTES, RECORDS_PER_PASS), scratch.path());
      };
    }
  }

  private Section embedded() throws Exception {
    progress.accept("embedded starts");
    List<Double> millis = EmbeddedStart.run(EMBEDDED_STARTS);
    Table table = new Table("figure", "median", "min", "max");
    addSpread(table, "start to first committed transaction, ms", Spread.of(millis, it -> it));
    return new Section(
        "embedded broker in a warm JVM, %d starts, the client's set-up included"
            .formatted(EMBEDDED_STARTS),
        table);
  }

  private Section start(Path scratch) throws Exception {
    Map<String, List<StartRace.Start>> results =
        new StartRace(contenders(), effort.passes(), progress).run(scratch);
    Table table = comparison(results.keySet());
    compare(table, "CPU, ms", results, StartRace.Start::cpuMillis);
    compare(table, "wall, ms", results, StartRace.Start::wallMillis);
    compare(table, "resident memory, MiB", results, it -> mebibytes(it.residentBytes()));
    return new Section(
        "process start with an empty directory to the first committed transaction", table);
  }

  private Section job(Path scratch) throws Exception {
    Map<String, List<JobRace.Run>> results =
        new JobRace(PAYMENTS_PER_JOB, contenders(), effort.passes(), progress).run(scratch);
    Table table = comparison(results.keySet());
    compare(table, "app CPU per payment, µs", results, JobRace.Run::appMicros);
    compare(table, "broker CPU per payment, µs", results, JobRace.Run::brokerMicros);
    compare(table, "payments per second", results, JobRace.Run::perSecond);
    compare(table, "app's resident memory, MiB", results, it -> mebibytes(it.appBytes()));
    return new Section(
        "payment-dedup job, %,d payments of 200 B, 10 %% repeated, RocksDB, 2 workers, a commit every 100 ms"
            .formatted(PAYMENTS_PER_JOB),
        table);
  }

  private Section duel(Workload workload, Path scratch) throws Exception {
    Map<String, List<Pass>> results =
        new Duel(contenders(), effort.warmUp(), effort.passes(), progress).run(workload, scratch);
    Table table = comparison(results.keySet());
    compare(
        table, "broker CPU per " + workload.unit() + ", µs", results, Pass::cpuMicrosPerOperation);
    compare(table, workload.unit() + "s per second", results, Pass::operationsPerSecond);
    if (!Double.isNaN(results.values().iterator().next().get(0).medianMillis())) {
      compare(table, "median latency, ms", results, Pass::medianMillis);
    }
    compare(table, "resident memory, MiB", results, it -> mebibytes(it.residentBytes()));
    return new Section(workload.title(), table);
  }

  /** The reference comes last; both durabilities of ours stand beside it, the comparable first. */
  private List<Contender> contenders() {
    return List.of(
        new FencepostContender(root, "os"),
        new FencepostContender(root, "group"),
        new KafkaContender(ReferenceJars.find(root)));
  }

  private static Table comparison(Iterable<String> names) {
    List<String> headings = new ArrayList<>(List.of("figure, median (min to max)"));
    names.forEach(headings::add);
    headings.add("ratio to Kafka");
    return new Table(headings.toArray(String[]::new));
  }

  private static <T> void compare(
      Table table, String figure, Map<String, List<T>> results, ToDoubleFunction<T> value) {
    List<String> cells = new ArrayList<>(List.of(figure));
    List<Double> medians = new ArrayList<>();
    for (List<T> passes : results.values()) {
      Spread spread = Spread.of(passes, value);
      medians.add(spread.median());
      cells.add(
          "%s (%s to %s)"
              .formatted(shown(spread.median()), shown(spread.min()), shown(spread.max())));
    }
    double reference = medians.get(medians.size() - 1);
    cells.add(String.format(Locale.ROOT, "%.2f", medians.get(0) / reference));
    table.row(cells.toArray(String[]::new));
  }

  private static void addSpread(Table table, String figure, Spread spread) {
    table.row(figure, shown(spread.median()), shown(spread.min()), shown(spread.max()));
  }

  private static String shown(double value) {
    return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%,.0f", value);
  }

  private static double mebibytes(long bytes) {
    return bytes / 1024.0 / 1024.0;
  }
}
