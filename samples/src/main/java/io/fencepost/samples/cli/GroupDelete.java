package io.fencepost.samples.cli;

import io.fencepost.samples.client.Administration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The end of groups. */
@Command(
    name = "delete",
    description = "Delete groups that have no members, with their committed offsets.",
    footer = {"", "Example:", "  fencepost group delete clerks --bootstrap localhost:9092"})
final class GroupDelete implements Callable<Integer> {
  @Mixin final ClusterOptions cluster = new ClusterOptions();

  @Parameters(paramLabel = "GROUP", arity = "1..*", description = "The groups.")
  private List<String> groups = List.of();

  @Override
  public Integer call() {
    return cluster.run(this::delete);
  }

  private int delete(Administration connection) {
    connection.await(connection.admin().deleteConsumerGroups(groups).all());
    cluster.done("deleted", groups);
    return ExitCode.OK;
  }
}
