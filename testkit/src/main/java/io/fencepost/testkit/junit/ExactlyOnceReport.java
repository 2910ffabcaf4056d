package io.fencepost.testkit.junit;

import io.fencepost.streams.JobCounts;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.history.Verdict;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What was done in one run.
 *
 * @param inputs how many records the job was given
 * @param outputs how many committed records stood in the topics that were checked
 * @param fired what was broken, in order
 * @param unfired what was planned and never done
 * @param troubles what was decided and could not be done to a broker, as one that was down already
 * @param counts of the job, over its restarts
 * @param restarts of the job, by a fault or because it had ended
 * @param verdicts by the id of the invariant, of all that was checked
 * @param findings what is wrong, in a sentence each; empty if the job is exactly once
 */
public record ExactlyOnceReport(
    String job,
    FaultPlan plan,
    long inputs,
    long outputs,
    List<Fired> fired,
    List<Faults.Unfired> unfired,
    List<String> troubles,
    JobCounts counts,
    int restarts,
    Duration time,
    SortedMap<String, Verdict> verdicts,
    List<String> findings) {

  public ExactlyOnceReport {
    fired = List.copyOf(fired);
    unfired = List.copyOf(unfired);
    troubles = List.copyOf(troubles);
    verdicts = Collections.unmodifiableSortedMap(new TreeMap<>(verdicts));
    findings = List.copyOf(findings);
  }

  /** Whether everything held. */
  public boolean isExactlyOnce() {
    return findings.isEmpty();
  }

  /** A few lines for people. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append("job ")
        .append(job)
        .append(isExactlyOnce() ? " is exactly once" : " is not shown to be exactly once")
        .append(plan.isEmpty() ? ", without faults" : " under " + plan);
    findings.forEach(it -> text.append("\n  ").append(it.replace("\n", "\n  ")));
    text.append(
        "\n  %d records in, %d out; %s, %s, %s, %s"
            .formatted(
                inputs,
                outputs,
                count(counts.commits(), "commit"),
                count(counts.aborts(), "abort"),
                count(counts.fences(), "fence"),
                count(restarts, "restart")));
    if (!plan.isEmpty()) {
      text.append("\n  ").append(count(fired.size(), "fault")).append(" done");
      fired.forEach(it -> text.append("\n    ").append(it));
    }
    troubles.forEach(it -> text.append("\n  could not be done: ").append(it));
    return text.toString();
  }

  private static String count(long count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }
}
