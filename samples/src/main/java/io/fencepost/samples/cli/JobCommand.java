package io.fencepost.samples.cli;

import io.fencepost.samples.jobs.SampleJobs;
import io.fencepost.samples.jobs.SampleMain;
import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobEnd;
import io.fencepost.streams.JobHandle;
import io.fencepost.streams.JobStartException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** One of the jobs of the package jobs, until it is stopped. */
@Command(
    name = "job",
    description = {
      "Run a sample job until Ctrl-C: " + SampleJobs.LIST + ".",
      "Creates the topics that are missing, prints the topology and what is guaranteed."
    },
    footer = {
      "",
      "Examples:",
      "  fencepost job transfer-ledger --bootstrap localhost:9092",
      "  fencepost job running-balance --bootstrap localhost:9092 --set state.dir=/var/lib/balance",
    })
final class JobCommand implements Callable<Integer> {
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "NAME", description = "Which job.")
  private String name = "";

  @Option(
      names = "--bootstrap",
      paramLabel = "HOST:PORT",
      required = true,
      description = "The cluster to run on.")
  private String bootstrap = "";

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "A setting of the job. May be repeated.")
  private TreeMap<String, String> settings = new TreeMap<>();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Stop after that long. Default: run until Ctrl-C")
  private @Nullable Integer seconds;

  @Mixin final CommonOptions common = new CommonOptions();

  @Override
  public Integer call() throws InterruptedException {
    Supplier<Job> define = SampleJobs.BY_NAME.get(name);
    if (define == null) {
      throw new ParameterException(
          spec.commandLine(), "no job is named " + name + "; there are " + SampleJobs.LIST);
    }
    Job job = define.get();
    JobHandle handle = started(job);
    PrintWriter out = spec.commandLine().getOut();
    out.println(job.describe() + handle.guarantee());
    Runtime.getRuntime().addShutdownHook(new Thread(() -> handle.stop(STOP_TIMEOUT)));
    JobEnd end = seconds == null ? handle.await() : handle.await(Duration.ofSeconds(seconds));
    if (end == null) {
      end = handle.stop(STOP_TIMEOUT);
    }
    out.println(end.reason() + ": " + end.detail() + "; " + handle.counts());
    return end.isClean() ? ExitCode.OK : ExitCode.CHECK_FAILED;
  }

  private JobHandle started(Job job) {
    try {
      settings.put("bootstrap.servers", bootstrap);
      JobConfig config = JobConfig.of(settings);
      SampleMain.createTopics(job, config);
      return job.start(config);
    } catch (IllegalArgumentException | IllegalStateException | JobStartException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }
}
