package io.fencepost.testkit.junit;

import io.fencepost.testkit.prove.main.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks how far the job of a run has come, past all faults. Not thread-safe. */
final class RunProgress {
  private static final Logger LOG = LoggerFactory.getLogger(RunProgress.class);
  private static final Duration SETTLED = Duration.ofSeconds(5);

  private final TestCluster cluster;
  private final Topics topics;
  private final RunAudit audit;
  private final String group;
  private String lastSeen = "nothing";
  private boolean isGivenUp;

  /** Of the job with this group. */
  RunProgress(TestCluster cluster, Topics topics, RunAudit audit, String group) {
    this.cluster = cluster;
    this.topics = topics;
    this.audit = audit;
    this.group = group;
  }

  /**
   * Waits until all input is read and committed and the output is as long as it has to be, or does
   * not grow any more.
   */
  boolean await(JobLives job, Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    long settled = 0;
    try (Admin admin = ClusterClients.admin(cluster.bootstrapServers(), Map.of());
        LagWait lag =
            new LagWait(admin, cluster.bootstrapServers(), group, IsolationLevel.READ_COMMITTED)) {
      while (System.nanoTime() - deadline < 0 && !job.isGivenUp()) {
        try {
          boolean isRead = audit.isCommitted(topics, group) && lag.isAtMost(0);
          if (isRead && settled == 0) {
            settled = System.nanoTime();
          }
          if (isRead && (audit.isComplete() || System.nanoTime() - settled > SETTLED.toNanos())) {
            return true;
          }
        } catch (KafkaException e) {
          LOG.debug("the brokers are being broken", e);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
      lastSeen = lag.lastSeen();
    }
    isGivenUp = job.isGivenUp();
    return false;
  }

  /** Writes down how it ended. */
  void tell(Findings findings, JobLives job, boolean isDone, Duration patience) {
    String endings =
        job.endings().isEmpty()
            ? ""
            : "\n  it ended: " + String.join("\n  it ended: ", job.endings());
    String what =
        isGivenUp
            ? "the job ends again and again"
            : "the job has not read its input within " + patience.toSeconds() + " s\n  " + lastSeen;
    findings.check("E3", 1, isDone ? List.of() : List.of(Finding.of("E3", what + endings)));
  }
}
