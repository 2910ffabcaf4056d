package io.fencepost.samples.cli;

import io.fencepost.samples.client.Administration;
import io.fencepost.samples.client.GroupOffsets;
import io.fencepost.samples.client.GroupOffsets.Target;
import io.fencepost.samples.report.Rows;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Moves a group's committed offsets. */
@Command(
    name = "reset",
    description = {
      "Move the committed offsets of a group without members. Shows what would change and changes",
      "nothing, unless --execute is given. An offset outside of the log becomes its start or end."
    },
    footer = {
      "",
      "Examples:",
      "  fencepost group reset clerks --topic payments --to-earliest --bootstrap localhost:9092",
      "  fencepost group reset clerks --topic payments --partition 0 --to-offset 42 --execute"
          + " --bootstrap localhost:9092",
      "  fencepost group reset clerks --topic payments --to-time 2026-11-29T08:00:00Z"
          + " --bootstrap localhost:9092"
    })
final class GroupReset implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin final ClusterOptions cluster = new ClusterOptions();

  @Parameters(paramLabel = "GROUP", description = "The group.")
  private String group = "";

  @Option(names = "--topic", paramLabel = "TOPIC", required = true, description = "The topic.")
  private String topic = "";

  @Option(
      names = "--partition",
      paramLabel = "N",
      split = ",",
      description = "Only these partitions. Default: all")
  private List<Integer> partitions = List.of();

  @ArgGroup(multiplicity = "1")
  private Where where = new Where();

  @Option(names = "--execute", description = "Do it.")
  private boolean execute;

  /** Exactly one of them. */
  static final class Where {
    /** What is left when no other is given. */
    @SuppressWarnings("UnusedVariable") // picocli sets it
    @Option(names = "--to-earliest", description = "To the start of the log.")
    private boolean earliest;

    @Option(names = "--to-latest", description = "To the end of the log.")
    private boolean latest;

    @Option(names = "--to-offset", paramLabel = "OFFSET", description = "To this offset.")
    private @Nullable Long offset;

    @Option(
        names = "--to-time",
        paramLabel = "TIME",
        description = "To the first record of this time or later: 2026-11-29T08:00:00Z.")
    private @Nullable String time;

    @Option(
        names = "--shift-by",
        paramLabel = "N",
        description = "From where it is by so many offsets; negative is back.")
    private @Nullable Long shift;
  }

  @Override
  public Integer call() {
    Target target = target();
    return cluster.run(connection -> reset(connection, target));
  }

  private Target target() {
    if (where.offset != null) {
      return Target.offset(where.offset);
    }
    if (where.shift != null) {
      return Target.shift(where.shift);
    }
    if (where.time != null) {
      try {
        return Target.time(Instant.parse(where.time).toEpochMilli());
      } catch (DateTimeParseException e) {
        throw new ParameterException(
            spec.commandLine(),
            "--to-time " + where.time + ": it looks like 2026-11-29T08:00:00Z",
            e);
      }
    }
    return where.latest ? Target.latest() : Target.earliest();
  }

  private int reset(Administration connection, Target target) {
    GroupOffsets offsets = new GroupOffsets(connection, group);
    TreeMap<TopicPartition, @Nullable Long> committed = offsets.committed();
    TreeMap<TopicPartition, Long> wanted = offsets.resolve(topic, partitions, target);
    if (execute) {
      offsets.commit(wanted);
    }
    Rows rows = new Rows("PARTITION", "COMMITTED", "NEW OFFSET");
    wanted.forEach(
        (partition, offset) -> rows.row(partition.toString(), committed.get(partition), offset));
    cluster.print(
        execute ? "changed" : "would_change",
        rows,
        execute ? List.of() : List.of("nothing was changed: give --execute to do it"));
    return ExitCode.OK;
  }
}
