package io.fencepost.testkit.junit;

import io.fencepost.testkit.history.Check;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.history.Verification;
import io.fencepost.testkit.prove.main.ClusterLeft;
import io.fencepost.testkit.report.Report;
import io.fencepost.testkit.report.Run;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.TestAbortedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A test that failed, and what its cluster held then. */
final class FailedTest {
  private static final Logger LOG = LoggerFactory.getLogger(FailedTest.class);
  private static final Duration TIME = Duration.ofSeconds(5);
  private static final int RECORDS = 2_000;
  private static final int MESSAGE_MAX = 300;

  private static final String SCOPE =
      "The history is what the cluster held when the test had failed: its records, transactions and"
          + " offsets. It does not say what the clients of the test did or were told, so what is"
          + " judged below is what readers see of the logs, and not whether they hold what the test"
          + " wanted.";

  private final String name;
  private final Throwable failure;

  private FailedTest(String name, Throwable failure) {
    this.name = name;
    this.failure = failure;
  }

  /** Says where with the failure, which stays as it is whatever happens here. */
  static void keep(ExtensionContext context, RunningCluster running, Throwable failure) {
    if (!isToBeKept(failure)) {
      return;
    }
    FailedTest failed = new FailedTest(name(context), failure);
    try {
      KeptFailure kept = KeptFailure.keep(failed, failed.look(running));
      failure.addSuppressed(
          new ClusterKept("what the cluster held when the test had failed\n" + kept));
      context.publishReportEntry(
          Map.of("page", kept.page().toString(), "history", kept.history().toString()));
    } catch (RuntimeException e) {
      LOG.warn("what the cluster held when {} failed is not kept: {}", failed.name, e.toString());
    }
  }

  private static boolean isToBeKept(Throwable failure) {
    for (Throwable at = failure; at != null; at = at.getCause()) {
      if (at instanceof TestAbortedException || at instanceof NotExactlyOnce) {
        return false;
      }
    }
    return true;
  }

  private static String name(ExtensionContext context) {
    String type = context.getRequiredTestClass().getName().replaceAll("^.*\\.", "");
    return context.getTestMethod().map(Method::getName).map(it -> type + "#" + it).orElse(type);
  }

  private ClusterLeft look(RunningCluster running) {
    return ClusterLeft.read(
        running.bootstrapServers(),
        new ClusterLeft.Limits(RECORDS, TIME, running.startedMs()),
        FailedTest::text);
  }

  private static String text(byte @Nullable [] key, byte @Nullable [] value) {
    return key == null ? Records.text(value) : Records.text(key) + "=" + Records.text(value);
  }

  /** As build tools name it. */
  String name() {
    return name;
  }

  /** In one line, shortened. */
  String sentence() {
    String text = failure.toString().strip().replaceAll("\\s*\\R\\s*", "; ");
    return "The test failed: "
        + (text.length() > MESSAGE_MAX ? text.substring(0, MESSAGE_MAX) + "..." : text + ".");
  }

  /** The page of what was found. */
  Report page(ClusterLeft left, String rerun) {
    History history = left.history().unfinished();
    // That all ends cannot be said of a cluster in the middle of its work.
    List<Check> checks =
        Verification.checks().stream().filter(check -> !check.id().equals("E1")).toList();
    Map<String, Verdict> verdicts = Verification.verdicts(history, checks);
    Report.Builder page =
        Report.titled("Test " + name)
            .failed(sentence())
            .fact("records", history.all(Event.Sent.class).size())
            .fact("transactions ended", history.all(Event.EndAsked.class).size())
            .fact("committed offsets", history.all(Event.OffsetSeen.class).size())
            .rerun(rerun)
            .caution(SCOPE);
    left.gaps().forEach(page::caution);
    return page.run(Run.of(name, history, verdicts).rerunBy(rerun)).build();
  }

  /** Stands below the stack trace of the failure. */
  private static final class ClusterKept extends Exception {
    private static final long serialVersionUID = 1;

    private ClusterKept(String message) {
      super(message, null, false, false);
    }
  }
}
