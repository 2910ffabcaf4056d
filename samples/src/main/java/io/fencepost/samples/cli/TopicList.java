package io.fencepost.samples.cli;

import io.fencepost.samples.client.Administration;
import io.fencepost.samples.report.Rows;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** All topics. */
@Command(
    name = "list",
    description = "List topics with their partitions and replicas.",
    footer = {"", "Example:", "  fencepost topic list --bootstrap localhost:9092 --internal"})
final class TopicList implements Callable<Integer> {
  @Mixin final ClusterOptions cluster = new ClusterOptions();

  @Option(names = "--internal", description = "Also the cluster's own topics.")
  private boolean internal;

  @Override
  public Integer call() {
    return cluster.run(this::list);
  }

  private int list(Administration connection) {
    Set<String> names =
        connection.await(
            connection.admin().listTopics(new ListTopicsOptions().listInternal(internal)).names());
    Rows rows = new Rows("TOPIC", "PARTITIONS", "REPLICAS", "ID");
    new TreeMap<>(connection.await(connection.admin().describeTopics(names).allTopicNames()))
        .values()
        .forEach(
            topic ->
                rows.row(
                    topic.name(),
                    topic.partitions().size(),
                    replicas(topic),
                    topic.topicId().toString()));
    cluster.print("topics", rows, List.of());
    return ExitCode.OK;
  }

  private static int replicas(TopicDescription topic) {
    return topic.partitions().stream().mapToInt(info -> info.replicas().size()).max().orElse(0);
  }
}
