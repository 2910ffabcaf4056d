package io.fencepost.samples.cli;

import io.fencepost.samples.client.Administration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The end of topics. */
@Command(
    name = "delete",
    description = "Delete topics with all their records.",
    footer = {"", "Example:", "  fencepost topic delete payments --bootstrap localhost:9092"})
final class TopicDelete implements Callable<Integer> {
  @Mixin final ClusterOptions cluster = new ClusterOptions();

  @Parameters(paramLabel = "TOPIC", arity = "1..*", description = "The topics.")
  private List<String> topics = List.of();

  @Override
  public Integer call() {
    return cluster.run(this::delete);
  }

  private int delete(Administration connection) {
    connection.await(connection.admin().deleteTopics(topics).all());
    cluster.done("deleted", topics);
    return ExitCode.OK;
  }
}
