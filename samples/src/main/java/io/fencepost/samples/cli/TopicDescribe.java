package io.fencepost.samples.cli;

import io.fencepost.samples.client.Administration;
import io.fencepost.samples.report.Rows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** One topic in detail. */
@Command(
    name = "describe",
    description = "Show a topic's partitions with their offsets, and the settings made on it.",
    footer = {"", "Example:", "  fencepost topic describe payments --bootstrap localhost:9092"})
final class TopicDescribe implements Callable<Integer> {
  @Mixin final ClusterOptions cluster = new ClusterOptions();

  @Parameters(paramLabel = "TOPIC", description = "The topic.")
  private String topic = "";

  @Override
  public Integer call() {
    return cluster.run(this::describe);
  }

  private int describe(Administration connection) {
    TopicDescription description =
        connection
            .await(connection.admin().describeTopics(List.of(topic)).allTopicNames())
            .values()
            .iterator()
            .next();
    Rows rows =
        new Rows("PARTITION", "LEADER", "REPLICAS", "IN SYNC", "START", "STABLE OFFSET", "END");
    Map<Integer, Long> starts =
        offsets(connection, description, OffsetSpec.earliest(), IsolationLevel.READ_UNCOMMITTED);
    Map<Integer, Long> stable =
        offsets(connection, description, OffsetSpec.latest(), IsolationLevel.READ_COMMITTED);
    Map<Integer, Long> ends =
        offsets(connection, description, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED);
    for (TopicPartitionInfo info : description.partitions()) {
      Node leader = info.leader();
      rows.row(
          info.partition(),
          leader == null ? null : leader.id(),
          ids(info.replicas()),
          ids(info.isr()),
          starts.get(info.partition()),
          stable.get(info.partition()),
          ends.get(info.partition()));
    }
    Map<String, String> settings = settings(connection);
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("topic", description.name());
    object.put("id", description.topicId().toString());
    object.put("settings", settings);
    object.put("partitions", rows.toObjects());
    List<String> lines = new ArrayList<>();
    lines.add("topic " + description.name() + ", id " + description.topicId());
    settings.forEach((name, value) -> lines.add("  " + name + "=" + value));
    cluster.print(object, String.join("\n", lines) + "\n" + rows);
    return ExitCode.OK;
  }

  private static String ids(List<Node> nodes) {
    return nodes.stream().map(node -> String.valueOf(node.id())).collect(Collectors.joining(","));
  }

  private static Map<Integer, Long> offsets(
      Administration connection,
      TopicDescription description,
      OffsetSpec which,
      IsolationLevel isolation) {
    Map<TopicPartition, OffsetSpec> wanted =
        new TreeMap<>(Comparator.comparingInt(TopicPartition::partition));
    for (TopicPartitionInfo info : description.partitions()) {
      if (info.leader() != null) {
        wanted.put(new TopicPartition(description.name(), info.partition()), which);
      }
    }
    Map<TopicPartition, ListOffsetsResultInfo> found =
        connection.await(
            connection.admin().listOffsets(wanted, new ListOffsetsOptions(isolation)).all());
    Map<Integer, Long> offsets = new TreeMap<>();
    found.forEach((partition, info) -> offsets.put(partition.partition(), info.offset()));
    return offsets;
  }

  private Map<String, String> settings(Administration connection) {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    Map<String, String> settings = new TreeMap<>();
    connection
        .await(connection.admin().describeConfigs(List.of(resource)).all())
        .values()
        .forEach(
            config ->
                config.entries().stream()
                    .filter(e -> e.source() == ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG)
                    .forEach(entry -> settings.put(entry.name(), text(entry.value()))));
    return settings;
  }

  private static String text(@Nullable String value) {
    return value == null ? "" : value;
  }
}
