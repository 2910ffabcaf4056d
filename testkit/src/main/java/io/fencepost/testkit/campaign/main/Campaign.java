package io.fencepost.testkit.campaign.main;

import io.fencepost.broker.replica.LeaderTerm;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.testkit.campaign.Plan;
import io.fencepost.testkit.campaign.Step;
import io.fencepost.testkit.campaign.client.Clients;
import io.fencepost.testkit.campaign.client.Parking;
import io.fencepost.testkit.campaign.client.Recorder;
import io.fencepost.testkit.campaign.client.Workload;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Verification;
import io.fencepost.txn.main.ClusterConfig;
import io.fencepost.txn.main.DataDirectory;
import io.fencepost.txn.main.FencepostCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.common.KafkaException;

/**
 * Three brokers, writers and a job of several instances, and a plan of faults from a seed; at the
 * end every invariant is checked over all that clients were told and all that the logs hold.
 */
public final class Campaign {
  private static final int BROKERS = 3;
  private static final int PARTITIONS = 3;
  private static final int INSTANCES = 2;
  private static final int MIN_ISR = 2;
  private static final long DAY_MS = 86_400_000;
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final Options options;
  private final Path directory;
  private final Recorder recorder;
  private final Progress progress;
  private final List<String> journal = new ArrayList<>();
  private final long startNanos = System.nanoTime();
  private boolean isFinished;

  /**
   * How long and how much.
   *
   * @param seconds for which faults go on
   * @param records that are committed as input, also if that takes longer
   * @param pauseMs the longest wait between two steps of the plan
   */
  public record Options(long seed, int seconds, int records, int pauseMs) {}

  /** Hears how far it is. */
  public interface Progress {
    void at(String what, long done, long total);
  }

  private Campaign(Options options, Path directory, Consumer<Event> historian, Progress progress) {
    this.options = options;
    this.directory = directory;
    this.recorder = new Recorder(historian);
    this.progress = progress;
  }

  /**
   * Runs to the end; the cluster's files stay in the directory.
   *
   * @param directory that does not exist or is empty
   */
  public static CampaignReport run(Options options, Path directory, Progress progress) {
    return run(options, directory, event -> {}, progress);
  }

  /**
   * The same, and the history is told while it happens.
   *
   * @param historian hears of each event, one after the other
   */
  public static CampaignReport run(
      Options options, Path directory, Consumer<Event> historian, Progress progress) {
    return new Campaign(options, directory, historian, progress).run();
  }

  private CampaignReport run() {
    SplittableRandom random = new SplittableRandom(options.seed());
    GroupProtocol protocol = random.nextBoolean() ? GroupProtocol.CONSUMER : GroupProtocol.CLASSIC;
    Plan plan =
        new Plan(options.seed(), new Plan.Shape(BROKERS, PARTITIONS, INSTANCES, options.pauseMs()));
    Workload workload;
    Siege siege;
    try (FencepostCluster cluster = FencepostCluster.start(config())) {
      Clients clients = new Clients(cluster.bootstrapServers(), protocol);
      Workload.Size size =
          new Workload.Size(options.records(), options.seconds(), PARTITIONS, INSTANCES);
      workload = new Workload(clients, size, random.nextLong(), recorder);
      siege = new Siege(cluster, workload);
      workload.createTopics(BROKERS, MIN_ISR);
      workload.start();
      try {
        fire(cluster, plan, siege, workload);
        settle(siege, workload);
        workload.finish(PATIENCE);
        isFinished = true;
        note("all is read once more");
      } catch (IllegalStateException | KafkaException e) {
        note("gave up: " + e.getMessage());
        recorder.trouble("the cluster does not settle: " + e);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    progress.at("checking", 0, 0);
    readFiles();
    note("the files are read");
    if (isFinished) {
      recorder.add(new Event.Finished());
    }
    return new CampaignReport(
        options,
        protocol.name(),
        siege.fired(),
        workload.tally(),
        journal,
        recorder.history(),
        recorder.verdicts(Verification.checks()));
  }

  private ClusterConfig config() {
    return ClusterConfig.builder()
        .brokers(BROKERS)
        .dir(directory)
        .set("replica.lag.time.max.ms", "500")
        .set("broker.session.timeout.ms", "500")
        .set("broker.heartbeat.interval.ms", "100")
        .set("leader.imbalance.check.interval.seconds", "5")
        .set("log.cleaner.backoff.ms", "100")
        .set("log.cleaner.dedupe.buffer.size", "1048576")
        .set("log.retention.check.interval.ms", "100")
        // The scan of the logs needs the internal topics whole; a topic may say otherwise.
        .set("log.cleaner.min.compaction.lag.ms", String.valueOf(DAY_MS))
        .set("log.roll.ms", "5000")
        .set("group.min.session.timeout.ms", "500")
        .set("group.consumer.min.session.timeout.ms", "500")
        .set("group.consumer.session.timeout.ms", "2000")
        .set("group.consumer.min.heartbeat.interval.ms", "100")
        .set("group.consumer.heartbeat.interval.ms", "500")
        .build();
  }

  private void fire(FencepostCluster cluster, Plan plan, Siege siege, Workload workload) {
    long end = System.nanoTime() + Duration.ofSeconds(options.seconds()).toNanos();
    while (System.nanoTime() < end) {
      Step step = plan.next();
      Parking.millis(step.pauseMs());
      String remark = siege.take(step);
      note(step + (remark.isEmpty() ? "" : ": " + remark));
      if (remark.isEmpty()) {
        recorder.add(event(step));
      }
      watchLeaders(cluster);
      progress.at("records", workload.committedRecords(), options.records());
    }
    note("the faults are over");
  }

  private static Event event(Step step) {
    return step.fault().isRepair() ? new Event.Repair(step.what()) : new Event.Fault(step.what());
  }

  private void note(String what) {
    journal.add("%7.2f s %s".formatted((System.nanoTime() - startNanos) / 1e9, what));
  }

  /** Who takes itself for the leader of what. */
  private void watchLeaders(FencepostCluster cluster) {
    for (int broker : cluster.running()) {
      for (PartitionGate gate : cluster.broker(broker).services().replicas().all()) {
        LeaderTerm term = gate.term();
        if (term.isLeader()) {
          recorder.add(new Event.Led(gate.topicPartition(), term.leaderEpoch(), broker));
        }
      }
    }
  }

  /** E1 to E4: once nothing is broken any more, all that was begun comes to its end. */
  private void settle(Siege siege, Workload workload) throws InterruptedException {
    siege.settle();
    note("all in sync");
    note("made up for what was left to chance" + siege.makeUp());
    long end = System.nanoTime() + PATIENCE.toNanos();
    List<String> left = workload.unfinished();
    while (!left.isEmpty() && System.nanoTime() < end) {
      progress.at("records", workload.committedRecords(), options.records());
      Parking.millis(200);
      left = workload.unfinished();
    }
    left.forEach(what -> recorder.trouble("after the faults: " + what));
    note(left.isEmpty() ? "all work is done" : "left: " + left);
  }

  private void readFiles() {
    DataDirectory.Checked checked =
        DataDirectory.check(
            directory, finding -> recorder.add(new Event.FileFinding(finding.toString())));
    recorder.add(new Event.FilesChecked(checked.batchCount()));
    new LogScan(directory.resolve("broker-1"), recorder).run();
    for (int broker = 1; broker <= BROKERS; broker++) {
      new RemnantScan(broker, directory.resolve("broker-" + broker), recorder).run();
    }
  }
}
