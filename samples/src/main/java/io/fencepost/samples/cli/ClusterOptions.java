package io.fencepost.samples.cli;

import io.fencepost.samples.client.Administration;
import io.fencepost.samples.report.Json;
import io.fencepost.samples.report.Rows;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What all commands for a running cluster have in common: where it is, and how they print. */
final class ClusterOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--bootstrap",
      paramLabel = "HOST:PORT",
      required = true,
      description = "Any broker of the cluster.")
  private String bootstrap = "";

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "table or json. Default: table")
  private OutputFormat format = OutputFormat.TABLE;

  @Mixin final CommonOptions common = new CommonOptions();

  /** Connects, does the work, and answers its exit code. */
  int run(Function<Administration, Integer> work) {
    try (Administration cluster = Administration.connect(bootstrap)) {
      return work.apply(cluster);
    }
  }

  /** Prints rows, in JSON as a field of this name, and for people what follows from them. */
  void print(String name, Rows rows, List<String> remarks) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put(name, rows.toObjects());
    String lines = String.join("", remarks.stream().map(line -> line + "\n").toList());
    print(object, rows.isEmpty() && !remarks.isEmpty() ? lines : rows + lines);
  }

  /** Prints the object, or the text that says the same. */
  void print(Map<String, Object> object, String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.print(format == OutputFormat.JSON ? Json.text(object) + "\n" : text);
    out.flush();
  }

  /** Says what was done. */
  void done(String action, List<String> names) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put(action, names);
    print(object, String.join("", names.stream().map(n -> action + " " + n + "\n").toList()));
  }
}
