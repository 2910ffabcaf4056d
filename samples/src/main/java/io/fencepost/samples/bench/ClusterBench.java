package io.fencepost.samples.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The comparisons of clusters of three brokers, where each partition has three replicas. */
final class ClusterBench {
  private static final int TRANSACTIONS_PER_PASS = 1_000;
  private static final int TRANSACTIONAL_IDS = 100_000;

  private static final String SHORT_WAITS =
      "Short waits: " + String.join(", ", KafkaClusterContender.SHORT_WAITS) + ".";

  private final Path root;
  private final KafkaPrograms kafka;
  private final CleanUp cleanUp;
  private final Consumer<String> progress;

  /**
   * @param root the directory of the {@code fencepost} script
   * @param kafka the reference
   * @param progress gets a line whenever a phase begins
   */
  ClusterBench(Path root, KafkaPrograms kafka, CleanUp cleanUp, Consumer<String> progress) {
    this.root = root;
    this.kafka = kafka;
    this.cleanUp = cleanUp;
    this.progress = progress;
  }

  Bench.Section start(int passes) throws Exception {
    Workload workload = TransactionWorkload.replicated(1, ClusterContender.BROKERS);
    List<Contender> contenders = List.of(served(), new KafkaClusterContender(kafka));
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
    List<Contender> contenders =
        List.of(served(), KafkaClusterContender.impatient(kafka), new KafkaClusterContender(kafka));
    Map<String, List<Pass>> results =
        new Duel(contenders, warmUp, passes, progress).run(workload, cleanUp.directory());
    Bench.Section section = Duel.section(workload, results);
    List<String> notes = new ArrayList<>(section.notes());
    notes.add(
        "Apache Kafka tries a transaction's first batch again after 20 ms when the markers of the"
            + " last one are not written yet.");
    notes.add(SHORT_WAITS);
    return new Bench.Section(section.title(), section.table(), notes);
  }

  Bench.Section failover(int kills) throws Exception {
    List<ClusterContender> contenders =
        List.of(
            new FencepostClusterContender(cleanUp),
            KafkaClusterContender.impatient(kafka),
            new KafkaClusterContender(kafka));
    var results = new FailoverRace(contenders, kills, progress).run(cleanUp.directory());
    return new Bench.Section(
        "three brokers, the leader of a partition killed, to the first acknowledged record",
        new Comparison<>(results)
            .row("kill to acknowledgement, ms", FailoverRace.Kill::millis)
            .around(FailoverRace.Kill::around)
            .table(),
        List.of(
            "A producer with default settings that had sent one record. No record was lost or"
                + " doubled.",
            "Apache Kafka's controller takes a broker for dead that is silent for 9 s.",
            SHORT_WAITS));
  }

  Bench.Section coordinatorFailover(int kills) throws Exception {
    List<ClusterContender> contenders =
        List.of(new FencepostClusterContender(cleanUp), new KafkaClusterContender(kafka));
    var results =
        new CoordinatorRace(contenders, TRANSACTIONAL_IDS, kills, progress)
            .run(cleanUp.directory());
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

  private Contender served() {
    return FencepostContender.cluster(root, ClusterContender.BROKERS, cleanUp);
  }
}
