package io.fencepost.testkit.junit;

import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.prove.main.ClusterLeft;
import io.fencepost.testkit.prove.main.RunHistory;
import io.fencepost.testkit.report.disk.ReportFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.StackWalker.StackFrame;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SortedMap;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * What is left of a failed run, under {@code target/fencepost}, or where the system property {@code
 * fencepost.kept} says.
 *
 * @param rerun the line that runs it again
 */
record KeptFailure(Path directory, String rerun) {
  private static final String PLACE = "fencepost.kept";
  private static final String HISTORY = "history.jsonl";
  private static final String PAGE = "report.html";
  private static final int MOST = 1_000;

  static KeptFailure keep(
      ExactlyOnceReport report, RunHistory history, SortedMap<String, Verdict.Fail> violations) {
    String test = test();
    FaultPlan plan = report.plan();
    String rerun =
        "mvn test -Dtest='%s' -D%s='%s'".formatted(test, ExactlyOnce.PLAN_PROPERTY, plan);
    if (plan.isEmpty()) {
      rerun = "mvn test -Dtest='%s'".formatted(test);
    }
    try {
      Path directory = fresh(test);
      history.keep(directory.resolve(HISTORY), violations);
      Files.writeString(directory.resolve("plan.txt"), plan + "\n");
      Files.writeString(directory.resolve("rerun.txt"), rerun + "\n");
      Files.writeString(directory.resolve("report.txt"), report + "\n");
      ReportFile.write(
          ExactlyOncePage.of(report, history.finished(), rerun), directory.resolve(PAGE));
      return new KeptFailure(directory, rerun);
    } catch (IOException e) {
      throw new UncheckedIOException("what is left of a failure could not be kept", e);
    }
  }

  /** What the cluster of a test held when it had failed. */
  static KeptFailure keep(FailedTest test, ClusterLeft left) {
    String rerun = "mvn test -Dtest='%s'".formatted(test.name());
    try {
      KeptFailure kept = new KeptFailure(fresh(test.name()), rerun);
      left.history().keepUnfinished(kept.history(), test.sentence());
      ReportFile.write(test.page(left, rerun), kept.page());
      return kept;
    } catch (IOException e) {
      throw new UncheckedIOException("what is left of a failure could not be kept", e);
    }
  }

  /** To look at. */
  Path page() {
    return directory.resolve(PAGE);
  }

  /** What was seen. */
  Path history() {
    return directory.resolve(HISTORY);
  }

  /** The last lines of an assertion's message. */
  @Override
  public String toString() {
    return "  page: %s%n  history: %s%n  rerun: %s".formatted(page(), history(), rerun);
  }

  private static Path fresh(String test) throws IOException {
    String name = test.replace('#', '.');
    Path base = Path.of(System.getProperty(PLACE, "target/fencepost"));
    Files.createDirectories(base);
    FileAlreadyExistsException last = null;
    for (int i = 1; i <= MOST; i++) {
      try {
        return Files.createDirectory(base.resolve(i == 1 ? name : name + "-" + i));
      } catch (FileAlreadyExistsException e) {
        last = e;
      }
    }
    throw new IOException(base + " holds " + MOST + " failures of " + name + ": remove them", last);
  }

  /** The test that called, as build tools name it. */
  private static String test() {
    return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
        .walk(frames -> frames.filter(KeptFailure::isTest).findFirst())
        .map(
            it ->
                it.getDeclaringClass().getName().replaceAll("^.*\\.", "")
                    + "#"
                    + it.getMethodName())
        .orElse("unknown");
  }

  private static boolean isTest(StackFrame frame) {
    try {
      return AnnotationSupport.isAnnotated(
          Optional.of(
              frame
                  .getDeclaringClass()
                  .getDeclaredMethod(
                      frame.getMethodName(), frame.getMethodType().parameterArray())),
          Testable.class);
    } catch (NoSuchMethodException e) {
      return false;
    }
  }
}
