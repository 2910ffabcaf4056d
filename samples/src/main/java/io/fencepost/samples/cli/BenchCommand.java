package io.fencepost.samples.cli;

import io.fencepost.samples.bench.Bench;
import io.fencepost.samples.report.Json;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures Fencepost beside Apache Kafka. */
@Command(
    name = "bench",
    description = {
      "Measure Fencepost beside Apache Kafka, in alternating passes, as ratios.",
      "Both brokers run as processes of their own with the same clients and settings. CPU time per",
      "operation holds steady on a shared machine; wall-clock rates do not."
    },
    footer = {
      "",
      "Examples:",
      "  fencepost bench                                everything, about an hour",
      "  fencepost bench --only start --passes 3",
      "  fencepost bench --only transactions --warm-up 10s -o json",
      "",
      "Kafka's jars are fetched once: ./mvnw -q -pl reference-kafka process-resources"
    })
final class BenchCommand implements Callable<Integer> {
  private static final int PASSES_MAX = 1_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--only",
      paramLabel = "PART",
      description =
          "embedded, start, transactions, produce, latency, job, streams, recovery, heap,"
              + " cluster-start, cluster-commit, failover or coordinator-failover. May be repeated."
              + " Default: all")
  private Set<Bench.Part> parts = EnumSet.noneOf(Bench.Part.class);

  @Option(
      names = "--passes",
      paramLabel = "N",
      description = "Measured passes of each broker. Default: ${DEFAULT-VALUE}")
  private int passes = 5;

  @Option(
      names = "--rows",
      paramLabel = "N",
      description = "Rows of 1 KiB in the store of recovery. Default: 1048576, which is 1 GiB")
  private int rows = 1 << 20;

  @Option(
      names = "--warm-up",
      paramLabel = "TIME",
      converter = TimeSpan.class,
      description = "Work of each broker before the first pass. Default: 60s")
  private Duration warmUp = Duration.ofSeconds(60);

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "table or json. Default: table")
  private OutputFormat format = OutputFormat.TABLE;

  @Mixin final CommonOptions common = new CommonOptions();

  @Override
  public Integer call() throws Exception {
    if (passes < 1 || passes > PASSES_MAX) {
      throw new ParameterException(
          spec.commandLine(), "--passes is from 1 to " + PASSES_MAX + ", not " + passes);
    }
    PrintWriter err = spec.commandLine().getErr();
    if (rows < 4) {
      throw new ParameterException(spec.commandLine(), "--rows is at least 4, not " + rows);
    }
    Bench bench =
        new Bench(
            Path.of(System.getProperty("fencepost.home", ".")).toAbsolutePath(),
            new Bench.Effort(warmUp, passes, rows),
            phase -> err.println("bench: " + phase));
    List<Bench.Section> sections = new ArrayList<>();
    for (Bench.Part part : parts.isEmpty() ? EnumSet.allOf(Bench.Part.class) : parts) {
      sections.add(bench.run(part));
    }
    print(sections);
    return ExitCode.OK;
  }

  private void print(List<Bench.Section> sections) {
    PrintWriter out = spec.commandLine().getOut();
    if (format == OutputFormat.JSON) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("machine", Bench.machine());
      for (Bench.Section section : sections) {
        Map<String, Object> part = new LinkedHashMap<>();
        part.put("rows", section.table().toObjects());
        part.put("notes", section.notes());
        object.put(section.title(), part);
      }
      out.println(Json.text(object));
    } else {
      for (Bench.Section section : sections) {
        out.println(section.title());
        out.print(section.table());
        section.notes().forEach(out::println);
        out.println();
      }
      out.println(Bench.machine());
    }
    out.flush();
  }
}
