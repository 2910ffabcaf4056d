package io.fencepost.testkit.junit;

import io.fencepost.broker.main.SystemClock;
import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.testkit.fault.FaultKind;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.main.TemporaryDirectory;
import io.fencepost.testkit.prove.Candidate;
import io.fencepost.testkit.prove.main.LiveReader;
import io.fencepost.testkit.prove.main.RunHistory;
import io.fencepost.testkit.prove.main.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of {@link ExactlyOnce} under one plan. */
final class ExactlyOnceRun {
  private static final Logger LOG = LoggerFactory.getLogger(ExactlyOnceRun.class);
  private static final int COMMITS = 10;

  private final Job job;
  private final TestCluster cluster;
  private final FaultPlan plan;
  private final Wanted wanted;
  private final RunHistory history = new RunHistory();
  private final Findings findings = new Findings();
  private volatile @Nullable JobLives lives;

  /**
   * What is asked of a run.
   *
   * @param made what is known to be made of which record
   * @param settings of the job
   * @param partitions of the topics that are made
   * @param patience for the whole input
   */
  record Wanted(
      List<TopicContent> inputs,
      List<TopicContent> outputs,
      List<Made> made,
      Map<String, String> settings,
      int partitions,
      Duration patience) {
    List<TopicContent> contents() {
      return Stream.of(inputs, outputs).flatMap(List::stream).toList();
    }
  }

  ExactlyOnceRun(Job job, TestCluster cluster, FaultPlan plan, Wanted wanted) {
    this.job = job;
    this.cluster = cluster;
    this.plan = plan;
    this.wanted = wanted;
  }

  /**
   * Does it all.
   *
   * @throws NotExactlyOnce if it is not exactly once
   */
  ExactlyOnceReport report() {
    long begun = System.nanoTime();
    int before = troubles().size();
    Faults faults = Faults.of(plan, new SystemClock()).observedBy(history);
    RecordTexts texts = new RecordTexts(wanted.inputs(), wanted.outputs());
    RunTopics topics = new RunTopics(cluster, wanted.patience());
    topics.create(job, wanted.contents(), wanted.partitions());
    Origins origins = new Origins(wanted.made(), topics.send(wanted.inputs(), texts, history));
    RunAudit audit;
    try (TemporaryDirectory state = TemporaryDirectory.create("fencepost-job-");
        Topics asked = new Topics(cluster.bootstrapServers());
        LiveReader live =
            new LiveReader(
                cluster.bootstrapServers(),
                topics.partitions(wanted.outputs()),
                line -> history.live(line, origins.content(line)),
                record -> {
                  origins.see(record);
                  return texts.line(record);
                })) {
      List<TopicPartition> input = topics.partitions(wanted.inputs());
      audit =
          new RunAudit(
              cluster, wanted, new RunAudit.Notes(texts, origins, history, findings), input);
      JobConfig config = config(cluster.bootstrapServers(), state.path());
      String group = config.applicationId(job);
      origins.flows(group).forEach(history::audited);
      JobLives all = perform(faults, new RunProgress(cluster, asked, audit, group), state.path());
      audit.offsets(asked, group);
      audit.records(live);
      audit.input();
      audit.ends(job.sinkTopics());
      findings.check("S1", plan.faults().size(), unfired(faults));
      audit.history();
      ExactlyOnceReport report =
          new ExactlyOnceReport(
              job.name(),
              plan,
              audit.inputCount(),
              audit.outputCount(),
              faults.fired(),
              faults.unfired(),
              troubles().subList(before, troubles().size()),
              all.counts(),
              all.restarts(),
              Duration.ofNanos(System.nanoTime() - begun),
              findings.verdicts(),
              findings.sentences());
      return checked(report);
    }
  }

  private ExactlyOnceReport checked(ExactlyOnceReport report) {
    if (!report.isExactlyOnce()) {
      KeptFailure kept = KeptFailure.keep(report, history, findings.violations());
      throw new NotExactlyOnce(report + "\n" + kept);
    }
    LOG.info("{}", report);
    return report;
  }

  /** From the job's start until it is stopped and nothing is broken any more. */
  private JobLives perform(Faults faults, RunProgress progress, Path state) {
    try (JobLives all =
        new JobLives(
            job,
            bootstrap -> config(bootstrap, state),
            cluster.bootstrapServers(),
            faults,
            this::act)) {
      lives = all;
      boolean isBreakingBrokers = new Candidate(plan).needsCluster();
      if (cluster.isEmbedded()) {
        cluster.faults().use(faults, this::act);
      }
      all.start();
      Duration half = wanted.patience().dividedBy(2);
      boolean isDone = progress.await(all, half);
      boolean isStopped = isDone && all.stop();
      faults.heal();
      settle(isBreakingBrokers);
      if (!isDone) {
        // What breaks all the time must not keep the job from its end.
        isDone = progress.await(all, half);
        isStopped = all.stop();
      }
      progress.tell(findings, all, isDone, wanted.patience());
      findings.check(
          "E4",
          1,
          isStopped ? List.of() : List.of(Finding.of("E4", "the job did not stop in time")));
      return all;
    } finally {
      settle(false);
    }
  }

  private void settle(boolean isBreakingBrokers) {
    if (isBreakingBrokers) {
      cluster.faults().settle();
    } else if (cluster.isEmbedded()) {
      cluster.faults().use(null);
    }
  }

  private void act(Fired fired) {
    FaultKind kind = fired.action().kind();
    JobLives all = lives;
    if (kind != FaultKind.KILL_JOB && kind != FaultKind.RESTART_JOB) {
      cluster.faults().perform(fired.action(), fired.facts());
    } else if (all != null) {
      all.act(fired);
    }
  }

  private List<String> troubles() {
    return cluster.isEmbedded() ? cluster.faults().troubles() : List.of();
  }

  private static List<Finding> unfired(Faults faults) {
    return faults.unfired().stream()
        .map(it -> Finding.of("S1", "planned and never done: " + it))
        .toList();
  }

  private JobConfig config(String bootstrap, Path state) {
    long inputCount = wanted.inputs().stream().mapToLong(it -> it.records().size()).sum();
    Map<String, String> all = new LinkedHashMap<>();
    all.put("bootstrap.servers", bootstrap);
    all.put("state.dir", state.toString());
    all.put("commit.max.records", String.valueOf(Math.max(1, inputCount / COMMITS)));
    all.put("consumer.max.poll.records", String.valueOf(Math.max(1, inputCount / COMMITS)));
    all.putAll(wanted.settings());
    return JobConfig.of(all);
  }
}
