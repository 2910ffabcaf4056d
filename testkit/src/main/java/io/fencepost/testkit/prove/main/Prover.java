package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.PlannedFault;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.prove.Candidate;
import io.fencepost.testkit.prove.Candidates;
import io.fencepost.testkit.prove.ProofReport;
import io.fencepost.testkit.prove.ProofResult;
import io.fencepost.testkit.prove.Sighting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Breaks a job at every step that it passes: a run without faults shows the steps, each is then
 * broken in each way in a run of its own, then several at once; what breaks an invariant is made
 * smaller while it still does.
 */
public final class Prover implements AutoCloseable {
  /** Longer than the job's clients wait for an answer (1 s). */
  private static final Duration DELAY = Duration.ofMillis(1_300);

  /** Longer than the group waits for a member (1 s). */
  private static final Duration PAUSE = Duration.ofMillis(2_500);

  /** The same on a cluster that is not ours, see {@link JobCrew}. */
  private static final Duration LONG_PAUSE = Duration.ofMillis(7_500);

  private static final Duration OUTAGE = Duration.ofMillis(1_500);
  private static final int SHRINK_TRIES = 2;

  private final Subject subject;
  private final Options options;
  private final Progress progress;
  private final HostPool pool;
  private final Stages stages;
  private final Candidates.Times times;

  /**
   * What is to be tried.
   *
   * @param points only plans with this word in their text; null for all
   * @param combinations how many plans of two or three faults
   * @param lanes runs at one time
   * @param bootstrap a cluster that is there; null for brokers of our own
   * @param log where the job's processes log
   * @param kept takes the histories of runs that break something
   */
  public record Options(
      @Nullable String points,
      int combinations,
      long seed,
      int lanes,
      @Nullable String bootstrap,
      Path log,
      Path kept) {}

  /** Hears how far it is. */
  public interface Progress {
    void at(String what, long done, long total);
  }

  public Prover(Subject subject, Options options, Progress progress) {
    this.subject = subject;
    this.options = options;
    this.progress = progress;
    this.stages = new Stages(options.bootstrap(), subject);
    this.times =
        new Candidates.Times(DELAY, options.bootstrap() == null ? PAUSE : LONG_PAUSE, OUTAGE);
    this.pool = new HostPool(subject.classPath(), options.log(), options.lanes());
  }

  /**
   * Tries everything that the options ask for.
   *
   * @throws IllegalArgumentException if that is nothing
   */
  public ProofReport prove() {
    long begun = System.nanoTime();
    progress.at("run without faults", 0, 2);
    ProofRun run = new ProofRun(subject, stages, pool, options.kept());
    ProofRun.Reference reference = run.rehearse(false);
    progress.at("run without faults", 1, 2);
    ProofRun.Reference second = run.rehearse(stages.breaksBrokers());
    String stability = difference(reference, second);
    List<Candidate> found = new ArrayList<>(Candidates.of(reference.sightings(), times, false));
    if (stages.breaksBrokers()) {
      Candidates.of(second.sightings(), times, true).stream()
          .filter(Candidate::needsCluster)
          .forEach(found::add);
    }
    List<Candidate> singles = new ArrayList<>();
    for (Candidate candidate : found) {
      String points = options.points();
      if (points == null || candidate.plan().toString().contains(points)) {
        singles.add(candidate);
      }
    }
    if (singles.isEmpty()) {
      throw new IllegalArgumentException(nothingAt(options.points(), found));
    }
    List<Candidate> all = new ArrayList<>(singles);
    all.addAll(Candidates.combined(singles, found, options.combinations(), options.seed()));
    return report(
        run,
        new ProofRun.Reference(reference.output(), union(reference, second)),
        stability,
        all,
        begun);
  }

  private static String nothingAt(@Nullable String points, List<Candidate> found) {
    TreeSet<String> words = new TreeSet<>();
    for (Candidate candidate : found) {
      words.add(candidate.plan().faults().get(0).point().name());
      words.add(candidate.kind());
    }
    return "no plan for this job has '%s' in it; there are %s".formatted(points, words);
  }

  private static List<Sighting> union(ProofRun.Reference one, ProofRun.Reference other) {
    List<Sighting> all = new ArrayList<>(one.sightings());
    all.addAll(other.sightings());
    return all;
  }

  /**
   * Tries one plan.
   *
   * @throws IllegalArgumentException if something of it can't be done to the brokers of this proof
   */
  public ProofReport tryOut(FaultPlan plan) {
    stages.requirePossible(plan);
    long begun = System.nanoTime();
    ProofRun run = new ProofRun(subject, stages, pool, options.kept());
    progress.at("run without faults", 0, 2);
    ProofRun.Reference reference = run.rehearse(false);
    progress.at("run without faults", 1, 2);
    String stability = difference(reference, run.rehearse(false));
    return report(run, reference, stability, List.of(new Candidate(plan)), begun);
  }

  private ProofReport report(
      ProofRun run,
      ProofRun.Reference reference,
      @Nullable String stability,
      List<Candidate> candidates,
      long begun) {
    ProofRun.Reference compared =
        stability == null ? reference : new ProofRun.Reference(null, reference.sightings());
    List<ProofResult> results = runAll(run, compared, candidates);
    ProofResult example = run.example();
    List<ProofReport.Failure> failures = new ArrayList<>();
    for (ProofResult result : results) {
      if (!result.holds()) {
        progress.at("making a failing plan smaller", failures.size(), 0);
        failures.add(new ProofReport.Failure(result, smallest(run, compared, result.candidate())));
      }
    }
    long classes = reference.sightings().stream().map(Sighting::className).distinct().count();
    return new ProofReport(
        subject.name(),
        options.seed(),
        (int) classes,
        stability,
        results,
        failures,
        example,
        (System.nanoTime() - begun) / 1_000_000);
  }

  private List<ProofResult> runAll(
      ProofRun run, ProofRun.Reference reference, List<Candidate> candidates) {
    ExecutorService lanes = Executors.newFixedThreadPool(options.lanes());
    try {
      ExecutorCompletionService<ProofResult> running = new ExecutorCompletionService<>(lanes);
      candidates.forEach(candidate -> running.submit(() -> run.run(candidate, reference)));
      Map<Candidate, ProofResult> results = new HashMap<>();
      for (int done = 0; done < candidates.size(); done++) {
        progress.at("runs", done, candidates.size());
        ProofResult result = running.take().get();
        results.put(result.candidate(), result);
      }
      List<ProofResult> inOrder = new ArrayList<>();
      candidates.stream().distinct().map(results::get).forEach(inOrder::add);
      return inOrder;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("a run could not be made", e.getCause());
    } finally {
      lanes.shutdownNow();
    }
  }

  /** Takes faults away, one after another, while the rest still breaks something. */
  private FaultPlan smallest(ProofRun run, ProofRun.Reference reference, Candidate failing) {
    List<PlannedFault> left = new ArrayList<>(failing.plan().faults());
    for (int i = left.size() - 1; i >= 0 && left.size() > 1; i--) {
      List<PlannedFault> fewer = new ArrayList<>(left);
      fewer.remove(i);
      if (stillFails(run, reference, new Candidate(new FaultPlan(fewer)))) {
        left = fewer;
      }
    }
    return new FaultPlan(left);
  }

  private static boolean stillFails(
      ProofRun run, ProofRun.Reference reference, Candidate candidate) {
    for (int i = 0; i < SHRINK_TRIES; i++) {
      if (!run.run(candidate, reference).holds()) {
        return true;
      }
    }
    return false;
  }

  private static @Nullable String difference(ProofRun.Reference one, ProofRun.Reference other) {
    Audit audit = new Audit(Evidence.NONE);
    audit.output(one.expected(), other.expected());
    return audit.verdicts().get("P1") instanceof Verdict.Fail fail
        ? "two runs without faults differ: " + fail.sentence()
        : null;
  }

  @Override
  public void close() {
    pool.close();
  }
}
