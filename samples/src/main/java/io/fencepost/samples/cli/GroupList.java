package io.fencepost.samples.cli;

import io.fencepost.samples.client.Administration;
import io.fencepost.samples.report.Rows;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** All groups. */
@Command(
    name = "list",
    description = "List groups with their kind and state.",
    footer = {"", "Example:", "  fencepost group list --bootstrap localhost:9092"})
final class GroupList implements Callable<Integer> {
  @Mixin final ClusterOptions cluster = new ClusterOptions();

  @Override
  public Integer call() {
    return cluster.run(this::list);
  }

  private int list(Administration connection) {
    Rows rows = new Rows("GROUP", "TYPE", "PROTOCOL", "STATE");
    connection.await(connection.admin().listGroups().all()).stream()
        .sorted(Comparator.comparing(GroupListing::groupId))
        .forEach(
            group ->
                rows.row(
                    group.groupId(),
                    group.type().map(GroupType::toString).orElse(null),
                    group.protocol().isEmpty() ? null : group.protocol(),
                    group.groupState().map(GroupState::toString).orElse(null)));
    cluster.print("groups", rows, List.of());
    return ExitCode.OK;
  }
}
