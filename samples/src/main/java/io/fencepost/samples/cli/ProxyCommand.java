package io.fencepost.samples.cli;

import io.fencepost.broker.main.SystemClock;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.message.ApiVersionsRequest;
import io.fencepost.broker.wire.message.ApiVersionsResponse;
import io.fencepost.samples.client.UsageException;
import io.fencepost.samples.report.Table;
import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultObserver;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.FaultPoint;
import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.fault.PlannedFault;
import io.fencepost.testkit.net.Endpoint;
import io.fencepost.testkit.net.FaultProxy;
import io.fencepost.testkit.net.RawClient;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Breaks what passes between any clients and any cluster, until it is told to stop. */
@Command(
    name = "proxy",
    description = {
      "Stand between any Kafka clients and any cluster, and break what a plan says.",
      "Prints 'fencepost proxy ready: HOST:PORT', the address for clients, then a line for each"
          + " fault.",
      "SIGTERM or Ctrl-C ends it with a table of what fired and what did not. All brokers of the",
      "cluster are reached through it; it reads what passes, so both sides are PLAINTEXT."
    },
    footer = {
      "",
      "A plan holds entries with ';' between them: REQUEST[FILTER]WHEN:ACTION",
      "  WHEN    #3 the third (default #1), %%10 every tenth, ~0.35/7 that share with seed 7",
      "  FILTER  payments-0, topic=, txn=, client=, group=; with ',' between them",
      "  ACTION  request-lost, answer-lost, delayed=2s, duplicated, answered=NOT_COORDINATOR",
      "",
      "Examples:",
      "  fencepost proxy --upstream localhost:9092 --plan 'EndTxn#3:answer-lost'",
      "  fencepost proxy --upstream localhost:9092 --port 9093 --plan"
          + " 'Produce[payments-0]%%10:delayed=2s'",
      "  fencepost proxy --upstream a:9092,b:9092 --plan 'EndTxn:answered=NOT_COORDINATOR;"
          + " Fetch~0.1/7:answer-lost'",
      "  fencepost faults                   all requests and actions"
    })
final class ProxyCommand implements Callable<Integer> {
  private static final int PORT_MAX = 65_535;
  private static final int PROBE_TIMEOUT_MS = 5_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--upstream",
      required = true,
      paramLabel = "HOST:PORT",
      description = "A broker of the cluster, or several with ',' between them.")
  private String upstream = "";

  @Option(
      names = "--plan",
      paramLabel = "PLAN",
      description = "What to break. Without it everything passes.")
  private String plan = "";

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Listen here; 0 is any free port. Default: 0")
  private int port;

  @Mixin final CommonOptions common = new CommonOptions();

  @Override
  public Integer call() throws InterruptedException {
    if (port < 0 || port > PORT_MAX) {
      throw mistake("--port " + port + ": a port is from 0 to " + PORT_MAX);
    }
    Faults faults = Faults.of(readPlan(), new SystemClock());
    probe();
    PrintWriter out = spec.commandLine().getOut();
    faults.observedBy(new Lines(out, spec.commandLine().getErr()));
    FaultProxy proxy = start(faults);
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  proxy.close();
                  out.print(summary(faults));
                  out.flush();
                  stopped.countDown();
                },
                "fencepost-stop"));
    out.println("fencepost proxy ready: " + proxy.bootstrapServers());
    out.flush();
    stopped.await();
    return ExitCode.OK;
  }

  private FaultPlan readPlan() {
    FaultPlan read;
    try {
      read = FaultPlan.parse(plan);
    } catch (IllegalArgumentException e) {
      throw mistake("--plan: " + e.getMessage());
    }
    for (PlannedFault fault : read.faults()) {
      if (fault.action().kind().isAct() || fault.point().place() != FaultPoint.Place.WIRE) {
        throw mistake(
            "--plan: a proxy sees requests and has no jobs, brokers or disks, so it can't do '"
                + fault
                + "'");
      }
    }
    return read;
  }

  /** Better now than with the first client: that somebody answers, and in plaintext. */
  private void probe() {
    String reason = "";
    for (String address : List.of(upstream.split(",", -1))) {
      try (RawClient client =
          RawClient.connect(Endpoint.parse(address.strip()), PROBE_TIMEOUT_MS)) {
        client.call(ApiKey.API_VERSIONS, 0, new ApiVersionsRequest(), ApiVersionsResponse.class);
        return;
      } catch (IllegalArgumentException e) {
        throw mistake("--upstream: " + e.getMessage());
      } catch (UncheckedIOException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        reason = e.getMessage() + ": " + cause.getMessage();
      }
    }
    throw mistake(
        "--upstream %s: no broker answers there in PLAINTEXT (%s)".formatted(upstream, reason));
  }

  private FaultProxy start(Faults faults) {
    try {
      return FaultProxy.start(upstream, port, faults, null);
    } catch (UncheckedIOException e) {
      throw new UsageException("--port " + port + ": " + e.getMessage() + "; choose another", e);
    }
  }

  private ParameterException mistake(String text) {
    return new ParameterException(spec.commandLine(), text);
  }

  /** What became of each entry of the plan. */
  static String summary(Faults faults) {
    List<PlannedFault> planned = faults.plan().faults();
    if (planned.isEmpty()) {
      return "no faults were planned\n";
    }
    Table table = new Table("FAULT", "CALLS", "FIRED");
    for (int i = 0; i < planned.size(); i++) {
      long fired = faults.fireCount(i);
      table.row(
          planned.get(i).toString(),
          String.valueOf(faults.callCount(i)),
          fired == 0 ? "never" : String.valueOf(fired));
    }
    return table.toString();
  }

  /** A line on stdout for each fault; with --verbose one on stderr for each request. */
  private record Lines(PrintWriter out, PrintWriter err) implements FaultObserver {
    @Override
    public void onPassed(FaultPoint point, long occurrence, FaultFacts facts) {
      if (CommonOptions.isVerbose()) {
        err.println(point + "#" + occurrence + " (" + facts + ")");
      }
    }

    @Override
    public void onFired(Fired fired) {
      out.println(fired);
      out.flush();
    }
  }
}
