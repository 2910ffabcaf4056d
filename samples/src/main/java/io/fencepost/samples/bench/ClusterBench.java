package io.fencepost.samples.bench;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The comparisons of clusters of three brokers, where each partition has three replicas. */
final class ClusterBench {
  private static final int TRANSACTIONS_PER_PASS = 1_000;
  private static final int TRANSACTIONAL_IDS = 100_000;

  private final List<Contender> contenders;
  private final List<ClusterContender> breakable;
  private final CleanUp cleanUp;
  private final Consumer<String> progress;

  /**
   * @param contenders as a user starts them, the reference last
   * @param breakable the same so that single brokers can be killed
   * @param progress gets a line whenever a phase begins
   */
  ClusterBench(
      List<Contender> contenders,
      List<ClusterContender> breakable,
      CleanUp cleanUp,
      Consumer<String> progress) {
    this.contenders = contenders;
    this.breakable = breakable;
    this.cleanUp = cleanUp;
    this.progress = progress;
  }

  Bench.Section start(int passes) throws Exception {
    Workload workload = TransactionWorkload.replicated(1, ClusterContender.BROKERS);
    var results = new StartRace(contenders, workload, passes, progress).run(cleanUp.directory());
    return new Bench.Section(
        "three brokers, start with empty directories to the first committed transaction",
        StartRace.table(results),
        List.of(
            "CPU and memory of all processes together. Each log held exactly one record and one"
                + " marker."));
  }

  Bench.Section commit(Duration warmUp, int passes) throws Exception {
    Workload workload =
        TransactionWorkload.replicated(TRANSACTIONS_PER_PASS, ClusterContender.BROKERS);
    Map<String, List<Pass>> results =
        new Duel(contenders, warmUp, passes, progress).run(workload, cleanUp.directory());
    return Duel.section(workload, results);
  }

  Bench.Section failover(int kills) throws Exception {
    var results = new FailoverRace(breakable, kills, progress).run(cleanUp.directory());
    return new Bench.Section(
        "three brokers, the leader of a partition killed, to the first acknowledged record",
        new Comparison<>(results)
            .row("kill to acknowledgement, ms", FailoverRace.Kill::millis)
            .around(FailoverRace.Kill::around)
            .table(),
        List.of(
            "A producer with default settings that had sent one record. No record was lost or"
                + " doubled.",
            "Apache Kafka's controller takes a broker for dead that is silent for 9 s"
                + " (broker.session.timeout.ms)."));
  }

  Bench.Section coordinatorFailover(int kills) throws Exception {
    var results =
        new CoordinatorRace(breakable, TRANSACTIONAL_IDS, kills, progress).run(cleanUp.directory());
    return new Bench.Section(
        "three brokers, the coordinator of %,d transactional ids killed"
            .formatted(TRANSACTIONAL_IDS),
        new Comparison<>(results)
            .row("kill to election, ms", CoordinatorRace.Move::electionMillis)
            .row("election to first answer, ms", CoordinatorRace.Move::answerMillis)
            .row("election to first new epoch, ms", CoordinatorRace.Move::identityMillis)
            .around(CoordinatorRace.Move::around)
            .table(),
        List.of("The election counts from when a living broker names the next coordinator."));
  }
}
