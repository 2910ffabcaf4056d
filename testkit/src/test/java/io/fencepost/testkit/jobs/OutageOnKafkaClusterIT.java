package io.fencepost.testkit.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencepost.streams.JobHandle;
import io.fencepost.testkit.brokers.TestBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A running job on three nodes of Apache Kafka that die one after the other, and come back. */
@Tag("kafka")
class OutageOnKafkaClusterIT {
  private static final int NODES = 3;
  private static final int KEYS = 20_000;
  private static final Duration SOON = Duration.ofMinutes(3);

  @RegisterExtension
  static final TestBroker CLUSTER =
      TestBroker.kafkaCluster(Map.of(JobBehaviour.SHORTEST_SESSION, "1000"));

  @TempDir Path directory;

  /** Each node is killed once, so every leader and coordinator that the job knows is among them. */
  @Test
  void nodes_killed_in_the_middle_of_a_job_cost_nothing_and_repeat_nothing() throws Exception {
    Topics topics = new Topics(CLUSTER.bootstrapServers());
    topics.create("n-payments", "n-charges", "n-repeats", "n-dead");
    int sent = 0;
    try (JobHandle handle =
        JobBehaviour.dedup("n", payment -> LockSupport.parkNanos(300_000)) // slow code
            .start(
                JobBehaviour.config(CLUSTER.bootstrapServers(), directory)
                    .with("commit.max.records", 100)
                    .with("consumer.max.poll.records", 100))) {
      for (int node = 1; node <= NODES; node++) {
        await().atMost(SOON).until(() -> topics.replicasInSync() == NODES);
        int before = sent;
        sent = node * KEYS / NODES;
        topics.send("n-payments", Topics.numbered(before, sent));
        await().atMost(SOON).until(() -> handle.counts().records() > before);
        CLUSTER.kill(node);
        assertThat(handle.counts().records()).as("killed in the middle").isLessThan(sent);
        long all = sent;
        int killed = node;
        await()
            .atMost(SOON)
            .untilAsserted(
                () ->
                    assertThat(topics.committedSum("n-dedup"))
                        .as("node %s was killed; %s", killed, handle.health())
                        .isEqualTo(all));
        CLUSTER.restart(node);
      }
    }
    assertThat(Topics.keysOf(topics.read("n-charges"))).hasSize(KEYS).doesNotHaveDuplicates();
    assertThat(topics.read("n-repeats")).isEmpty();
    assertThat(topics.replay("n-dedup-seen-changelog")).hasSize(KEYS);
  }
}
