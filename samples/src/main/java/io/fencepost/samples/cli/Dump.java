package io.fencepost.samples.cli;

import io.fencepost.samples.cli.dump.DirectoryDump;
import io.fencepost.samples.cli.dump.Kind;
import io.fencepost.samples.cli.dump.Selection;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows what stands in a broker's files. */
@Command(
    name = "dump",
    description = {
      "Show a broker's files as text or JSON lines.",
      "Records with what became of their transaction, indexes, snapshots, checkpoints, metadata,",
      "coordinators' state.",
      "Changes nothing. The broker may be running, and the files may be damaged: what is",
      "no batch is named with its place, and the rest is shown."
    },
    footer = {
      "",
      "A line of a record: offset, committed | aborted | open | plain | control, producer"
          + " id/epoch:",
      "sequence, its transaction's first and marker offset, time, key = value.",
      "",
      "Examples:",
      "  fencepost dump data --topic payments --kind log",
      "  fencepost dump data --topic payments --partition 0 --from 1000 --to 1099",
      "  fencepost dump data/payments-0/00000000000000000000.txnindex",
      "  fencepost dump data --kind state -o json"
    })
final class Dump implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "DIR|FILE",
      arity = "1..*",
      description = "A broker's directory, a partition's directory, or files in it.")
  private List<Path> paths = List.of();

  @Option(names = "--topic", paramLabel = "TOPIC", description = "Only this topic's partitions.")
  private @Nullable String topic;

  @Option(names = "--partition", paramLabel = "N", description = "Only this partition.")
  private int partition = -1;

  @Option(names = "--from", paramLabel = "OFFSET", description = "From this offset on.")
  private long from;

  @Option(names = "--to", paramLabel = "OFFSET", description = "Up to this offset, inclusive.")
  private long to = Long.MAX_VALUE;

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      split = ",",
      description =
          "Only these: log, index, timeindex, txnindex, snapshot, checkpoint, metadata, state."
              + " Default: all")
  private List<Kind> kinds = List.of();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "table (lines of text) or json (an object a line). Default: table")
  private OutputFormat format = OutputFormat.TABLE;

  @Mixin final CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    if (from < 0 || to < from) {
      throw new ParameterException(
          spec.commandLine(), "--from is at least 0, and --to is not below it");
    }
    Selection selection =
        new Selection(
            topic,
            partition,
            from,
            to,
            Collections.unmodifiableSortedSet(
                new TreeSet<>(kinds.isEmpty() ? EnumSet.allOf(Kind.class) : kinds)));
    // One flush at the end: a line each would be a system call each.
    PrintWriter out = new PrintWriter(spec.commandLine().getOut(), false);
    DirectoryDump dump =
        format == OutputFormat.JSON
            ? DirectoryDump.toJson(selection, out)
            : DirectoryDump.toText(selection, out, Ansi.AUTO);
    try {
      paths.forEach(dump::run);
    } finally {
      out.flush();
    }
    return ExitCode.OK;
  }
}
