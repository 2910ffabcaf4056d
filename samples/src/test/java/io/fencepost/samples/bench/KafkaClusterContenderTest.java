package io.fencepost.samples.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class KafkaClusterContenderTest {
  private static final List<Integer> CONTROLLERS = List.of(21, 22, 23);

  @Test
  void nodes_differ_in_id_ports_and_directory_only_and_know_all_voters() {
    List<String> first = KafkaClusterContender.settings(Path.of("a"), 1, 11, CONTROLLERS);
    List<String> third = KafkaClusterContender.settings(Path.of("c"), 3, 13, CONTROLLERS);

    assertThat(first)
        .contains(
            "node.id=1",
            "listeners=PLAINTEXT://localhost:11,CONTROLLER://localhost:21",
            "log.dirs=" + Path.of("a", "data"),
            "controller.quorum.voters=1@localhost:21,2@localhost:22,3@localhost:23");
    assertThat(third)
        .contains(
            "node.id=3",
            "listeners=PLAINTEXT://localhost:13,CONTROLLER://localhost:23",
            "log.dirs=" + Path.of("c", "data"));
    assertThat(third).filteredOn(line -> !first.contains(line)).hasSize(3);
  }

  @Test
  void every_internal_record_has_three_replicas_and_needs_two() {
    assertThat(KafkaClusterContender.settings(Path.of("a"), 1, 11, CONTROLLERS))
        .contains(
            "min.insync.replicas=2",
            "offsets.topic.replication.factor=3",
            "transaction.state.log.replication.factor=3",
            "transaction.state.log.min.isr=2");
  }

  @Test
  void ports_of_one_cluster_are_different() throws IOException {
    assertThat(KafkaPrograms.freePorts(6)).doesNotHaveDuplicates().hasSize(6);
  }
}
