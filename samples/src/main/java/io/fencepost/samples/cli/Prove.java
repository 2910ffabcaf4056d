package io.fencepost.samples.cli;

import io.fencepost.samples.client.JobSubject;
import io.fencepost.samples.client.MutantsPage;
import io.fencepost.samples.client.MutantsText;
import io.fencepost.samples.client.PaymentsSubject;
import io.fencepost.samples.client.ProofPage;
import io.fencepost.samples.client.ProofText;
import io.fencepost.samples.client.UsageException;
import io.fencepost.samples.report.Json;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.prove.Mutant;
import io.fencepost.testkit.prove.ProofReport;
import io.fencepost.testkit.prove.main.Mutants;
import io.fencepost.testkit.prove.main.Prover;
import io.fencepost.testkit.prove.main.Subject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Breaks a job at every step that it passes, and checks each run. */
@Command(
    name = "prove",
    description = {
      "Break a job at every step that it passes, and show that its output is exactly-once.",
      "If it is not: the smallest plan under which it is not.",
      "A run without faults shows which requests and steps the job passes. Each is then broken in",
      "each way in a run of its own, then several at once. The job runs in a process that can be",
      "killed; every run is compared with the one without faults."
    },
    footer = {
      "",
      "Examples:",
      "  fencepost prove",
      "  fencepost prove payments --points EndTxn",
      "  fencepost prove payments --plan 'EndTxn#3:answer-lost; kill job@after-send#17'",
      "  fencepost prove --mutants",
      "  fencepost prove --mutants=end-txn-ignores-epoch",
      "  fencepost prove --job com.example.MyJob --classpath target/classes --input in.jsonl",
      "",
      "Exit codes: 0 everything held, 1 an invariant was broken or nothing was proved, 2 bad usage."
    })
final class Prove implements Callable<Integer> {
  private static final int LANES_MAX = 64;
  private static final int ROWS = 300;

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "SUBJECT",
      description = "payments, the payment job. Default unless --job is given")
  private @Nullable String subject;

  @Option(
      names = "--job",
      paramLabel = "CLASS",
      description = "A class with one public static method without parameters that returns a Job.")
  private @Nullable String job;

  @Option(
      names = "--classpath",
      paramLabel = "PATH",
      description = "Where that class and what it needs are.")
  private String classPath = "";

  @Option(
      names = "--input",
      paramLabel = "FILE",
      description =
          "Its input, a JSON object a line: {\"topic\":T,\"key\":K,\"value\":V}, and if need be"
              + " \"partition\" and \"timestampMs\".")
  private @Nullable Path input;

  @Option(
      names = "--points",
      paramLabel = "WHICH",
      description =
          "all, or only plans with this text in them: a point (EndTxn, after-send), an action"
              + " (answer-lost, 'kill job') or a topic. Default: ${DEFAULT-VALUE}")
  private String points = "all";

  @Option(
      names = "--runs",
      paramLabel = "N",
      description =
          "Plans of two or three faults, after those of one; with --points, one of each is there."
              + " Default: ${DEFAULT-VALUE}")
  private int runs = 20;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Decides the input of payments and the combinations. Default: ${DEFAULT-VALUE}")
  private long seed = 1;

  @Option(
      names = "--plan",
      paramLabel = "PLAN",
      description = "Run this plan only; 'fencepost faults' lists what can stand in it.")
  private @Nullable String plan;

  @Option(
      names = "--lanes",
      paramLabel = "N",
      description = "Runs at one time. Default: twice the number of cores, as runs often wait")
  private int lanes = Math.min(LANES_MAX, 2 * Runtime.getRuntime().availableProcessors());

  @Option(
      names = "--bootstrap",
      paramLabel = "HOST:PORT",
      description =
          "Run on this cluster, for tests only: topics are made and deleted. Without it on brokers"
              + " of its own, which are broken too.")
  private @Nullable String bootstrap;

  @Option(
      names = "--mutants",
      arity = "0..1",
      fallbackValue = "all",
      paramLabel = "WHICH",
      description =
          "Instead: switch off one rule of broker, coordinator or job after the other, or the one"
              + " named, and show which check notices. Alone: without SUBJECT, --job and --plan.")
  private @Nullable String mutants;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description =
          "Takes the histories of runs that break something, and of one that does not, for"
              + " 'fencepost verify', and job.log, what the job's processes print."
              + " Default: ${DEFAULT-VALUE}")
  private Path kept = Path.of("target", "fencepost-prove");

  @Mixin final ReportOption page = new ReportOption();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "table or json. Default: table")
  private OutputFormat format = OutputFormat.TABLE;

  @Mixin final CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    require(subject == null || subject.equals("payments"), "SUBJECT is payments, or give --job");
    require(subject == null || job == null, "give SUBJECT or --job, not both");
    require((job == null) == (input == null), "--job needs --input, and the other way round");
    require(runs >= 0, "--runs is at least 0");
    require(lanes >= 1 && lanes <= LANES_MAX, "--lanes is from 1 to " + LANES_MAX);
    FaultPlan only = plan == null ? null : parsed(plan);
    require(
        mutants == null || (subject == null && job == null && plan == null),
        "--mutants goes without SUBJECT, --job and --plan");
    page.check();
    Logging.expectTrouble();
    if (mutants != null) {
      return callMutants(mutants(mutants));
    }
    Subject chosen = chosen();
    ProofReport report;
    try (ProgressBar bar = new ProgressBar(spec.commandLine().getErr());
        Prover prover = prover(chosen, bar)) {
      report = only == null ? prover.prove() : prover.tryOut(only);
    } catch (IllegalArgumentException e) {
      String option = only == null ? "--points: " : "--plan: ";
      throw new ParameterException(spec.commandLine(), option + e.getMessage(), e);
    }
    PrintWriter out = spec.commandLine().getOut();
    ProofText text = new ProofText(report, command());
    out.println(format == OutputFormat.JSON ? Json.text(text.toObject()) : text.toString());
    page.write(() -> ProofPage.of(report, command()));
    return report.holds() && report.weakness() == null ? ExitCode.OK : ExitCode.CHECK_FAILED;
  }

  private List<Mutant> mutants(String which) {
    List<Mutant> chosen = new ArrayList<>();
    List<String> labels = new ArrayList<>();
    for (Mutant mutant : Mutant.values()) {
      labels.add(mutant.label());
      if (which.equals("all") || which.equals(mutant.label())) {
        chosen.add(mutant);
      }
    }
    require(!chosen.isEmpty(), "--mutants " + which + ": there are " + String.join(", ", labels));
    return chosen;
  }

  private int callMutants(List<Mutant> chosen) {
    List<Mutants.Result> results = new ArrayList<>();
    try (ProgressBar bar = new ProgressBar(spec.commandLine().getErr())) {
      for (Mutant mutant : chosen) {
        bar.show("mutants", results.size(), chosen.size());
        results.add(Mutants.run(mutant));
      }
    }
    MutantsText text = new MutantsText(results);
    spec.commandLine()
        .getOut()
        .println(format == OutputFormat.JSON ? Json.text(text.toObject()) : text.toString());
    page.write(() -> MutantsPage.of(results));
    return text.holds() ? ExitCode.OK : ExitCode.CHECK_FAILED;
  }

  private Prover prover(Subject chosen, ProgressBar bar) {
    clearKept();
    try {
      return new Prover(chosen, options(), bar::show);
    } catch (IllegalStateException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    } catch (KafkaException e) {
      throw new UsageException("--bootstrap " + bootstrap + ": " + e.getMessage(), e);
    }
  }

  private FaultPlan parsed(String text) {
    try {
      return FaultPlan.parse(text);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--plan: " + e.getMessage(), e);
    }
  }

  private Subject chosen() {
    if (job == null || input == null) {
      return new PaymentsSubject(ROWS, seed);
    }
    try {
      return JobSubject.of(job, classPath, input);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private Prover.Options options() {
    return new Prover.Options(
        points.equals("all") ? null : points,
        runs,
        seed,
        bootstrap == null ? lanes : 1, // the topics have the same names in each run
        bootstrap,
        kept.resolve("job.log"),
        kept);
  }

  /** What an earlier proof has kept there is no finding of this one. */
  private void clearKept() {
    try {
      Files.createDirectories(kept);
      try (DirectoryStream<Path> old =
          Files.newDirectoryStream(kept, "{failure-[0-9]*.jsonl,held.jsonl,job.log}")) {
        for (Path file : old) {
          Files.delete(file);
        }
      }
    } catch (IOException e) {
      throw new UsageException("--keep " + kept + " takes no files: " + e, e);
    }
  }

  /** What runs a plan again, up to the plan. */
  private String command() {
    String what =
        job == null
            ? "payments --seed " + seed
            : "--job %s --classpath '%s' --input '%s'".formatted(job, classPath, input);
    return "./fencepost prove "
        + what
        + (bootstrap == null ? "" : " --bootstrap " + bootstrap)
        + " --plan ";
  }

  private void require(boolean condition, String rule) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), rule);
    }
  }
}
