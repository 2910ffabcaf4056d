package io.fencepost.samples.cli;

import io.fencepost.samples.client.Administration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.admin.NewTopic;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** New topics. */
@Command(
    name = "create",
    description = "Create topics.",
    footer = {
      "",
      "Example:",
      "  fencepost topic create payments --partitions 3 --set retention.ms=3600000"
          + " --bootstrap localhost:9092"
    })
final class TopicCreate implements Callable<Integer> {
  @Mixin final ClusterOptions cluster = new ClusterOptions();

  @Parameters(paramLabel = "TOPIC", arity = "1..*", description = "The new topics.")
  private List<String> topics = List.of();

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description = "Default: the broker's num.partitions")
  private @Nullable Integer partitions;

  @Option(
      names = "--replicas",
      paramLabel = "N",
      description = "Default: the broker's default.replication.factor")
  private @Nullable Short replicas;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "A setting of the topics. May be repeated.")
  private TreeMap<String, String> settings = new TreeMap<>();

  @Override
  public Integer call() {
    return cluster.run(this::create);
  }

  private int create(Administration connection) {
    List<NewTopic> wanted =
        topics.stream()
            .map(
                name ->
                    new NewTopic(
                            name, Optional.ofNullable(partitions), Optional.ofNullable(replicas))
                        .configs(settings))
            .toList();
    connection.await(connection.admin().createTopics(wanted).all());
    cluster.done("created", topics);
    return ExitCode.OK;
  }
}
