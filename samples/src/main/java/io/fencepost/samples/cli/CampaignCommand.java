package io.fencepost.samples.cli;

import io.fencepost.samples.client.CampaignRun;
import io.fencepost.samples.report.Json;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Breaks a cluster of its own for minutes, and checks every invariant afterwards. */
@Command(
    name = "campaign",
    description = {
      "Break a cluster of three brokers at random for minutes, and check what it promised.",
      "Writers and a deduplicating job work in transactions while brokers are killed, stopped,",
      "wiped, cut off and slowed down, leaders and coordinators move, and job instances die or"
          + " come",
      "back as zombies. Afterwards every invariant is checked over all that clients were told and",
      "all that stands in the logs."
    },
    footer = {
      "",
      "'vacuous' means that the run gave the invariant no chance to be broken.",
      "",
      "Examples:",
      "  fencepost campaign",
      "  fencepost campaign --minutes 0.5 --records 15000",
      "  fencepost campaign --minutes 30 --seed 7 -o json",
      "  fencepost campaign --history history.jsonl --report campaign.html",
      "",
      "Exit codes: 0 everything held, 1 an invariant was broken, 2 bad usage."
    })
final class CampaignCommand implements Callable<Integer> {
  private static final double MINUTES_MAX = 10_000;
  private static final int RECORDS_MAX = 100_000_000;
  private static final int SECONDS = 60;

  @Spec private CommandSpec spec;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description = "How long things are broken. Default: 2")
  private double minutes = 2;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Decides what is broken, and when. Default: another one each time")
  private @Nullable Long seed;

  @Option(
      names = "--records",
      paramLabel = "N",
      description = "Records that writers commit meanwhile. Default: ${DEFAULT-VALUE}")
  private int records = 100_000;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Keep the cluster's files here. Without it they are kept only if something was broken.")
  private @Nullable Path dir;

  @Option(
      names = "--history",
      paramLabel = "FILE",
      description = {
        "Write down here what clients and brokers do and see, for 'fencepost verify'.",
        "Without it that is kept only if something was broken."
      })
  private @Nullable Path history;

  @Mixin final ReportOption page = new ReportOption();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "table or json. Default: table")
  private OutputFormat format = OutputFormat.TABLE;

  @Mixin final CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    require(minutes > 0 && minutes <= MINUTES_MAX, "--minutes is above 0 and at most 10000");
    require(records >= 1 && records <= RECORDS_MAX, "--records is from 1 to 100000000");
    page.check();
    long drawn = seed == null ? System.nanoTime() >>> 10 : seed;
    String rerun =
        "./fencepost campaign --minutes %s --seed %d --records %d"
            .formatted(plain(minutes), drawn, records);
    CampaignRun.Result result;
    try (ProgressBar bar = new ProgressBar(spec.commandLine().getErr())) {
      CampaignRun.Asked asked =
          new CampaignRun.Asked(drawn, (int) Math.ceil(minutes * SECONDS), records, rerun);
      result = CampaignRun.run(asked, dir, history, bar::show);
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(format == OutputFormat.JSON ? Json.text(result.toObject()) : result.toString());
    page.write(result::page);
    return result.passes() ? ExitCode.OK : ExitCode.CHECK_FAILED;
  }

  private static String plain(double number) {
    return number == Math.rint(number) ? String.valueOf((long) number) : String.valueOf(number);
  }

  private void require(boolean condition, String rule) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), rule);
    }
  }
}
