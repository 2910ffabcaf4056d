package io.fencepost.samples.cli;

import io.fencepost.samples.client.Administration;
import io.fencepost.samples.client.GroupOffsets;
import io.fencepost.samples.report.Rows;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** One group in detail. */
@Command(
    name = "describe",
    description = {
      "Show where a group stands: committed offsets, ends, lag, and who reads what. The lag counts",
      "offsets up to the last stable offset, which is as far as readers of committed records get."
    },
    footer = {"", "Example:", "  fencepost group describe clerks --bootstrap localhost:9092"})
final class GroupDescribe implements Callable<Integer> {
  @Mixin final ClusterOptions cluster = new ClusterOptions();

  @Parameters(paramLabel = "GROUP", description = "The group.")
  private String group = "";

  @Override
  public Integer call() {
    return cluster.run(this::describe);
  }

  private int describe(Administration connection) {
    ConsumerGroupDescription description =
        connection
            .await(connection.admin().describeConsumerGroups(List.of(group)).all())
            .values()
            .iterator()
            .next();
    GroupOffsets offsets = new GroupOffsets(connection, group);
    Map<TopicPartition, MemberDescription> owners = owners(description);
    TreeMap<TopicPartition, @Nullable Long> committed = offsets.committed();
    owners.keySet().forEach(partition -> committed.putIfAbsent(partition, null));
    Map<TopicPartition, Long> ends = offsets.stableEnds(committed.keySet());
    Rows rows = new Rows("PARTITION", "COMMITTED", "END", "LAG", "MEMBER", "HOST");
    committed.forEach(
        (partition, offset) -> {
          Long end = ends.get(partition);
          MemberDescription owner = owners.get(partition);
          rows.row(
              partition.toString(),
              offset,
              end,
              offset == null || end == null ? null : Math.max(0, end - offset),
              owner == null ? null : owner.consumerId(),
              owner == null ? null : owner.host());
        });
    print(description, rows);
    return ExitCode.OK;
  }

  private void print(ConsumerGroupDescription description, Rows rows) {
    Node coordinator = description.coordinator();
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("group", description.groupId());
    object.put("type", description.type().toString());
    object.put("state", description.groupState().toString());
    object.put("members", description.members().size());
    object.put("assignor", description.partitionAssignor());
    object.put("coordinator", coordinator == null ? null : coordinator.id());
    object.put("offsets", rows.toObjects());
    cluster.print(
        object,
        "group %s: %s, %s, %d members%n"
                .formatted(
                    description.groupId(),
                    description.type(),
                    description.groupState(),
                    description.members().size())
            + rows);
  }

  private static Map<TopicPartition, MemberDescription> owners(
      ConsumerGroupDescription description) {
    Map<TopicPartition, MemberDescription> owners = new TreeMap<>(GroupOffsets.ORDER);
    for (MemberDescription member : description.members()) {
      member.assignment().topicPartitions().forEach(partition -> owners.put(partition, member));
    }
    return owners;
  }
}
