package io.fencepost.samples.cli;

import io.fencepost.samples.client.EmbeddedBroker;
import io.fencepost.samples.client.MetricsEndpoint;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs a broker until it is told to stop. */
@Command(
    name = "serve",
    description = {
      "Start a broker, or a cluster of several, for any Kafka client.",
      "Prints 'fencepost ready: HOST:PORT[,HOST:PORT...]' as its last line, once clients can"
          + " connect, and stops cleanly on",
      "SIGTERM or Ctrl-C."
    },
    footer = {
      "",
      "Examples:",
      "  fencepost serve --port 9092 --dir data",
      "  fencepost serve                               any free port, a directory that goes at the"
          + " end",
      "  fencepost serve --brokers 3                   a cluster with three replicas of everything",
      "  fencepost serve --set num.partitions=3 --set flush=os",
      "  fencepost serve --dir data --metrics-port 9404"
    })
final class Serve implements Callable<Integer> {
  private static final int PORT_MAX = 65_535;

  @Spec private CommandSpec spec;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Listen here; 0 is any free port. Default: 0")
  private int port;

  @Option(
      names = "--brokers",
      paramLabel = "N",
      description = "So many brokers in one cluster, on successive ports. Default: 1")
  private int brokers = 1;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Keep the data here. Without it they go when the broker stops.")
  private @Nullable Path dir;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "A broker setting under Kafka's own name. May be repeated.")
  private SortedMap<String, String> settings = new TreeMap<>();

  @Option(
      names = "--metrics-port",
      paramLabel = "PORT",
      description =
          "Serve meters to Prometheus at http://localhost:PORT/metrics; 0 is any free port.")
  private @Nullable Integer metricsPort;

  @Mixin final CommonOptions common = new CommonOptions();

  @Override
  public Integer call() throws InterruptedException {
    checkPort("--port", port);
    if (brokers > 1 && port > PORT_MAX + 1 - brokers) {
      throw new ParameterException(
          spec.commandLine(),
          "--port %d leaves no port for each of --brokers %d: the last one is %d"
              .formatted(port, brokers, PORT_MAX));
    }
    if (dir != null && dir.toString().isEmpty()) {
      throw new ParameterException(spec.commandLine(), "--dir is empty: name a directory");
    }
    // Its classes are loaded only if they are needed: they cost memory.
    MetricsEndpoint metrics = null;
    if (metricsPort != null) {
      checkPort("--metrics-port", metricsPort);
      metrics = MetricsEndpoint.open(metricsPort);
    }
    EmbeddedBroker broker = start(metrics);
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  broker.close();
                  stopped.countDown();
                },
                "fencepost-stop"));
    PrintWriter out = spec.commandLine().getOut();
    if (metrics != null) {
      out.println("fencepost metrics: http://localhost:" + metrics.port() + "/metrics");
    }
    out.println("fencepost ready: " + broker.bootstrapServers());
    out.flush();
    stopped.await();
    return ExitCode.OK;
  }

  private EmbeddedBroker start(@Nullable MetricsEndpoint metrics) {
    if (brokers != 1) {
      if (metrics != null) {
        throw new ParameterException(
            spec.commandLine(), "--metrics-port shows one broker, not --brokers " + brokers);
      }
      return EmbeddedBroker.startCluster(brokers, port, dir, settings);
    }
    return metrics == null
        ? EmbeddedBroker.start(port, dir, settings)
        : EmbeddedBroker.start(port, dir, settings, metrics.meters());
  }

  private void checkPort(String option, int value) {
    if (value < 0 || value > PORT_MAX) {
      throw new ParameterException(
          spec.commandLine(), option + " " + value + ": a port is from 0 to " + PORT_MAX);
    }
  }
}
