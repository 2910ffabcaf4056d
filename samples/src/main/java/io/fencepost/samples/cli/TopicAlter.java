package io.fencepost.samples.cli;

import io.fencepost.samples.client.Administration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Changes of a topic. */
@Command(
    name = "alter",
    description = "Change a topic's settings or add partitions.",
    footer = {
      "",
      "Examples:",
      "  fencepost topic alter payments --set retention.ms=3600000 --unset segment.bytes"
          + " --bootstrap localhost:9092",
      "  fencepost topic alter payments --partitions 6 --bootstrap localhost:9092"
    })
final class TopicAlter implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin final ClusterOptions cluster = new ClusterOptions();

  @Parameters(paramLabel = "TOPIC", description = "The topic.")
  private String topic = "";

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description = "How many there shall be; never fewer than now.")
  private @Nullable Integer partitions;

  @Option(names = "--set", paramLabel = "KEY=VALUE", description = "A setting. May be repeated.")
  private TreeMap<String, String> settings = new TreeMap<>();

  @Option(
      names = "--unset",
      paramLabel = "KEY",
      description = "Back to the broker's default. May be repeated.")
  private List<String> unset = new ArrayList<>();

  @Override
  public Integer call() {
    if (partitions == null && settings.isEmpty() && unset.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "nothing to change: give --partitions, --set or --unset");
    }
    return cluster.run(this::alter);
  }

  private int alter(Administration connection) {
    List<AlterConfigOp> changes = new ArrayList<>();
    settings.forEach(
        (key, value) ->
            changes.add(new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET)));
    unset.forEach(
        key ->
            changes.add(new AlterConfigOp(new ConfigEntry(key, ""), AlterConfigOp.OpType.DELETE)));
    if (!changes.isEmpty()) {
      ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
      connection.await(connection.admin().incrementalAlterConfigs(Map.of(resource, changes)).all());
    }
    if (partitions != null) {
      connection.await(
          connection
              .admin()
              .createPartitions(Map.of(topic, NewPartitions.increaseTo(partitions)))
              .all());
    }
    cluster.done("altered", List.of(topic));
    return ExitCode.OK;
  }
}
