package io.fencepost.samples.cli;

import io.fencepost.samples.report.Json;
import io.fencepost.samples.report.Table;
import io.fencepost.testkit.fault.FaultKind;
import io.fencepost.testkit.fault.FaultPoint;
import io.fencepost.testkit.fault.FaultPoints;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The catalogue of what can be broken. */
@Command(
    name = "faults",
    description = "List the points where something can be broken, and what can be done there.",
    footer = {
      "",
      "Examples:",
      "  fencepost faults",
      "  fencepost faults -o json",
    })
final class FaultsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "table or json. Default: table")
  private OutputFormat format = OutputFormat.TABLE;

  @Mixin final CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    Table points = new Table("POINT", "AMONG", "THE MOMENT", "ACTIONS");
    for (FaultPoint point : FaultPoints.all()) {
      points.row(point.name(), point.place().label(), point.description(), actions(point));
    }
    Table actions = new Table("ACTION", "WHAT IT DOES");
    Table acts = new Table("ACT, AT ANY POINT", "WHAT IT DOES");
    for (FaultKind kind : FaultKind.values()) {
      (kind.isAct() ? acts : actions).row(kind.label(), kind.description());
    }
    if (format == OutputFormat.JSON) {
      Map<String, Object> all = new LinkedHashMap<>();
      all.put("points", points.toObjects());
      all.put("actions", actions.toObjects());
      all.put("acts", acts.toObjects());
      out.println(Json.text(all));
    } else {
      out.println(points);
      out.println(actions);
      out.print(acts);
    }
    return ExitCode.OK;
  }

  private static String actions(FaultPoint point) {
    return point.kinds().stream()
        .filter(kind -> !kind.isAct())
        .map(FaultKind::label)
        .collect(Collectors.joining(", "));
  }
}
