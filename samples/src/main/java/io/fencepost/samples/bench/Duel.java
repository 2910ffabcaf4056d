package io.fencepost.samples.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Runs one workload on all brokers in turns, A B, B A, A B, so that what else the machine does hits
 * them alike. Both stay up through all passes and are warmed first.
 */
final class Duel {
  private final List<Contender> contenders;
  private final Duration warmUp;
  private final int passes;
  private final Consumer<String> progress;

  /**
   * @param warmUp how long each broker works before the first measured pass
   * @param progress gets a line whenever a phase begins
   */
  Duel(List<Contender> contenders, Duration warmUp, int passes, Consumer<String> progress) {
    this.contenders = contenders;
    this.warmUp = warmUp;
    this.passes = passes;
    this.progress = progress;
  }

  /** The table of a workload's passes. */
  static Bench.Section section(Workload workload, Map<String, List<Pass>> results) {
    Comparison<Pass> comparison =
        new Comparison<>(results)
            .row("broker CPU per " + workload.unit() + ", µs", Pass::cpuMicrosPerOperation)
            .row(workload.unit() + "s per second", Pass::operationsPerSecond);
    if (!results.values().iterator().next().get(0).latencies().isEmpty()) {
      comparison
          .row("latency p50, ms", it -> it.latencies().millisAt(50))
          .row("latency p99, ms", it -> it.latencies().millisAt(99))
          .row("latency p99.9, ms", it -> it.latencies().millisAt(99.9));
    }
    return new Bench.Section(
        workload.title(),
        comparison
            .row("resident memory, MiB", it -> Comparison.mebibytes(it.residentBytes()))
            .around(Pass::around)
            .table(),
        List.of(
            "After the warm-up and after each pass the log had grown by exactly %d a %s acknowledged."
                .formatted(workload.offsetsPerOperation(), workload.unit())));
  }

  /** The passes of each broker by its name, in the order in which they ran. */
  Map<String, List<Pass>> run(Workload workload, Path scratch) throws Exception {
    Map<String, List<Pass>> results = new LinkedHashMap<>();
    List<Corner> corners = new ArrayList<>();
    try {
      for (Contender contender : contenders) {
        results.put(contender.name(), new ArrayList<>());
        progress.accept("start and warm " + contender.name());
        corners.add(Corner.open(contender, workload, scratch));
        corners.get(corners.size() - 1).warm(workload, warmUp);
      }
      for (int pass = 0; pass < passes; pass++) {
        progress.accept("pass %d of %d".formatted(pass + 1, passes));
        for (int turn = 0; turn < corners.size(); turn++) {
          int index = pass % 2 == 0 ? turn : corners.size() - 1 - turn;
          Corner corner = corners.get(index);
          results
              .computeIfAbsent(corner.name, name -> new ArrayList<>())
              .add(corner.measure(workload));
        }
      }
    } finally {
      corners.forEach(Corner::close);
    }
    return results;
  }

  /** A running broker with the workload's clients attached. */
  private record Corner(String name, Brokers broker, Workload.Session session, LogCheck log) {
    static Corner open(Contender contender, Workload workload, Path scratch) throws Exception {
      Brokers broker = contender.start(Files.createTempDirectory(scratch, "broker"));
      return new Corner(
          contender.name(),
          broker,
          workload.open(broker.bootstrap()),
          new LogCheck(broker.bootstrap(), workload.topic()));
    }

    void warm(Workload workload, Duration duration) throws Exception {
      int step = Math.max(1, workload.operationsPerPass() / 10);
      long end = System.nanoTime() + duration.toNanos();
      long endBefore = log.end();
      long operations = 0;
      while (System.nanoTime() < end) {
        session.run(step, new Latencies());
        operations += step;
      }
      log.grewBy(operations * workload.offsetsPerOperation(), endBefore);
    }

    Pass measure(Workload workload) throws Exception {
      Latencies latencies = new Latencies();
      int operations = workload.operationsPerPass();
      long endBefore = log.end();
      Machine.Mark mark = Machine.mark();
      Duration cpuBefore = broker.cpu();
      long begin = System.nanoTime();
      session.run(operations, latencies);
      Duration wall = Duration.ofNanos(System.nanoTime() - begin);
      Duration cpu = broker.cpu().minus(cpuBefore);
      Around around = Around.since(mark, cpu, wall);
      log.grewBy((long) operations * workload.offsetsPerOperation(), endBefore);
      return new Pass(operations, cpu, wall, latencies, broker.residentBytes(), around);
    }

    void close() {
      log.close();
      session.close();
      broker.close();
    }
  }
}
