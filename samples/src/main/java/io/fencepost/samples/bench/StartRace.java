package io.fencepost.samples.bench;

import io.fencepost.samples.report.Table;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * From the launch of a broker or cluster with an empty directory to its first committed
 * transaction.
 */
final class StartRace {
  /**
   * One start.
   *
   * @param cpuMillis CPU time of the processes up to the commit
   * @param wallMillis from launch to commit, the client's set-up included
   * @param residentBytes of the processes after the commit
   * @param around what else ran
   */
  record Start(double cpuMillis, double wallMillis, long residentBytes, Around around) {}

  private final List<Contender> contenders;
  private final Workload workload;
  private final int passes;
  private final Consumer<String> progress;

  /**
   * @param workload whose clients do one operation after each start
   */
  StartRace(List<Contender> contenders, Workload workload, int passes, Consumer<String> progress) {
    this.contenders = contenders;
    this.workload = workload;
    this.passes = passes;
    this.progress = progress;
  }

  static Table table(Map<String, List<Start>> results) {
    return new Comparison<>(results)
        .row("CPU, ms", Start::cpuMillis)
        .row("wall, ms", Start::wallMillis)
        .row("resident memory, MiB", it -> Comparison.mebibytes(it.residentBytes()))
        .around(Start::around)
        .table();
  }

  Map<String, List<Start>> run(Path scratch) throws Exception {
    Map<String, List<Start>> results = new LinkedHashMap<>();
    for (Contender contender : contenders) {
      results.put(contender.name(), new ArrayList<>());
    }
    for (int pass = 0; pass < passes; pass++) {
      progress.accept("start %d of %d".formatted(pass + 1, passes));
      for (int turn = 0; turn < contenders.size(); turn++) {
        int index = pass % 2 == 0 ? turn : contenders.size() - 1 - turn;
        Contender contender = contenders.get(index);
        results
            .computeIfAbsent(contender.name(), name -> new ArrayList<>())
            .add(start(contender, scratch));
      }
    }
    return results;
  }

  private Start start(Contender contender, Path scratch) throws Exception {
    Machine.Mark mark = Machine.mark();
    try (Brokers broker = contender.start(Files.createTempDirectory(scratch, "broker"));
        Workload.Session session = workload.open(broker.bootstrap())) {
      session.run(1, new Latencies());
      Duration cpu = broker.cpu();
      Duration age = broker.age();
      Around around = Around.since(mark, cpu, age);
      long residentBytes = broker.residentBytes();
      try (LogCheck log = new LogCheck(broker.bootstrap(), workload.topic())) {
        log.grewBy(workload.offsetsPerOperation(), 0);
      }
      return new Start(cpu.toNanos() / 1e6, age.toNanos() / 1e6, residentBytes, around);
    }
  }
}
