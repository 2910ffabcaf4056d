package io.fencepost.samples.cli;

import io.fencepost.samples.client.PaymentFiles;
import io.fencepost.samples.client.PaymentsRun;
import io.fencepost.samples.client.RunId;
import io.fencepost.samples.client.Session;
import io.fencepost.samples.payment.DedupKey;
import io.fencepost.samples.payment.Delivery;
import io.fencepost.samples.payment.PaymentGenerator;
import io.fencepost.samples.payment.PaymentsReport;
import io.fencepost.samples.payment.Redeliveries;
import io.fencepost.samples.report.Json;
import io.fencepost.streams.JobCounts;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The main job: payments in, each charged once, and the proof. */
@Command(
    name = "payments",
    description = {
      "Charge every payment once, however often it is delivered, and prove it.",
      "Publishes payments with redeliveries, runs the payment-dedup job on them, reads its output",
      "with read_committed, and checks it by key, by count, in money and in the job's state."
    },
    footer = {
      "",
      "Examples:",
      "  fencepost payments",
      "  fencepost payments --input 2021q1.csv --input 2021q2.csv --redeliver 0.2 --workers 2",
      "  fencepost payments --key date,amount,supplier     the wrong key, and what it drops",
      "  fencepost payments --bootstrap localhost:9092 --run monday --keep-topics",
      "",
      "On a cluster that others use (--bootstrap), topics and the job carry the name of the run,",
      "and are removed at the end unless --keep-topics is given. A name can be used once.",
    })
final class Payments implements Callable<Integer> {
  private static final int WORKERS_MAX = 64;

  @Spec private CommandSpec spec;

  @Option(
      names = "--input",
      arity = "1..*",
      paramLabel = "FILE.csv",
      description = "Read payments from here. May be repeated. Without it they are generated.")
  private List<Path> inputs = new ArrayList<>();

  @Option(
      names = "--rows",
      paramLabel = "N",
      description = "How many rows to generate. Default: ${DEFAULT-VALUE}")
  private long rows = 20_000;

  @Option(
      names = "--redeliver",
      paramLabel = "SHARE",
      description = "Share of deliveries that are sent once more. Default: ${DEFAULT-VALUE}")
  private double redeliver = 0.1;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Decides the generated rows and the redeliveries. Default: ${DEFAULT-VALUE}")
  private long seed = 1;

  @Option(
      names = "--bootstrap",
      paramLabel = "HOST:PORT",
      description = "Run on this cluster; without it on an embedded broker.")
  private @Nullable String bootstrap;

  @Option(
      names = "--workers",
      paramLabel = "N",
      description = "Threads of the job. Default: ${DEFAULT-VALUE}")
  private int workers = 1;

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description =
          "What makes two rows one payment: transaction_number, row or date,amount,supplier."
              + " Default: transaction_number")
  private String key = DedupKey.TRANSACTION_NUMBER.option();

  @Option(
      names = "--run",
      paramLabel = "NAME",
      description = "Name of the run on a shared cluster. Default: from time and process id")
  private @Nullable String run;

  @Option(names = "--keep-topics", description = "Leave the topics on the cluster.")
  private boolean keepTopics;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "table or json. Default: table")
  private OutputFormat format = OutputFormat.TABLE;

  @Mixin final CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    PaymentsRun.Options options =
        new PaymentsRun.Options(
            checkedKey(), workers, run == null ? RunId.next() : run, keepTopics);
    checkNumbers();
    PaymentsReport report = inputs.isEmpty() ? generated(options) : fromFiles(options);
    PrintWriter out = spec.commandLine().getOut();
    out.println(format == OutputFormat.JSON ? Json.text(report.toObject()) : report.toString());
    return report.passes() ? ExitCode.OK : ExitCode.CHECK_FAILED;
  }

  private PaymentsReport generated(PaymentsRun.Options options) {
    return run(options, new PaymentGenerator(seed, rows));
  }

  private PaymentsReport fromFiles(PaymentsRun.Options options) {
    try (PaymentFiles files = PaymentFiles.open(inputs)) {
      return run(options, files);
    }
  }

  private PaymentsReport run(PaymentsRun.Options options, Iterator<Delivery> rowsOfInput) {
    Iterator<Delivery> deliveries = new Redeliveries(rowsOfInput, redeliver, seed);
    PaymentsRun.Result result;
    try (ProgressBar bar = new ProgressBar(spec.commandLine().getErr());
        Session session = Session.open(bootstrap)) {
      result = new PaymentsRun(session, options, bar::show).run(deliveries);
    }
    JobCounts counts = result.counts();
    return PaymentsReport.of(
        options.dedupKey(),
        result.input(),
        result.output(),
        new PaymentsReport.Work(
            counts.commits(),
            counts.aborts(),
            result.elapsed().toMillis() / 1000.0,
            result.guarantee()));
  }

  private DedupKey checkedKey() {
    DedupKey named = DedupKey.named(key);
    if (named == null) {
      throw new ParameterException(
          spec.commandLine(),
          "--key " + key + ": it is one of " + String.join(" | ", DedupKey.options()));
    }
    return named;
  }

  private void checkNumbers() {
    require(redeliver >= 0 && redeliver < 1, "--redeliver is from 0 to below 1");
    require(rows >= 1, "--rows is at least 1");
    require(workers >= 1 && workers <= WORKERS_MAX, "--workers is from 1 to " + WORKERS_MAX);
    require(
        run == null || run.matches("[A-Za-z0-9._-]{1,60}"),
        "--run is up to 60 letters, digits, dots, lines or underscores");
  }

  private void require(boolean condition, String rule) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), rule);
    }
  }
}
