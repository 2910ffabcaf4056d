package io.fencepost.testkit.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencepost.testkit.main.ReferenceKafka;
import io.fencepost.testkit.tour.Tour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code tools.tour}. Its answers come from Apache Kafka; where ours differ it says why. */
abstract class KafkaTools {
  /** Files that commands of the tour name in capitals. */
  private static final Map<String, String> FILES =
      Map.of(
          "DELETE_ONE",
          "{'partitions':[{'topic':'one','partition':0,'offset':1}],'version':1}",
          "DELETE_TOO_MUCH",
          "{'partitions':[{'topic':'one','partition':1,'offset':99}],'version':1}",
          "MOVE_ONE",
          "{'topics':[{'topic':'one'}],'version':1}",
          "NOWHERE",
          "{'partitions':[{'topic':'one','partition':0,'replicas':[77]}],'version':1}",
          "RESET_ONE",
          "one,0,2",
          "RESET_BADLY",
          "one,0,99",
          "REASSIGN",
          "{'partitions':[{'topic':'one','partition':0,'replicas':[1]}],'version':1}");

  @TempDir private Path directory;

  abstract Tour.Broker broker();

  abstract String bootstrapServers();

  @Test
  @SuppressWarnings("try") // the peers are there for the tools to see
  void the_tools_of_apache_kafka_say_what_they_say_of_apache_kafka()
      throws IOException, ExecutionException, InterruptedException {
    Path libraries = ReferenceKafka.libraries().orElse(null);
    assumeTrue(libraries != null, "Apache Kafka's jars are not in reference-kafka/target");
    for (Map.Entry<String, String> file : FILES.entrySet()) {
      Files.writeString(directory.resolve(file.getKey()), file.getValue().replace('\'', '"'));
    }
    try (LivePeers peers = new LivePeers(bootstrapServers());
        Tools tools = new Tools(libraries, bootstrapServers())) {
      Tour.Outcome outcome =
          Tour.read("tools")
              .run(
                  broker(),
                  step -> run(tools, step),
                  step -> step.command().contains("--describe"));
      assertThat(outcome.actual()).isEqualTo(outcome.expected());
    }
  }

  /** A command, and perhaps a filter behind it: {@code | grep TEXT} or {@code | sort}. */
  private List<String> run(Tools tools, Tour.Step step) {
    String[] pipe = step.command().split(" \\| ", 2);
    String command = pipe[0];
    for (String file : FILES.keySet()) {
      command = command.replace(file, directory.resolve(file).toString());
    }
    List<String> lines = tools.run(command, step.input());
    if (pipe.length == 1) {
      return lines;
    }
    return pipe[1].equals("sort")
        ? lines.stream().sorted().toList()
        : lines.stream()
            .filter(line -> line.contains(pipe[1].substring("grep ".length())))
            .toList();
  }
}
