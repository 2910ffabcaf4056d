package io.fencepost.testkit.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.JobHandle;
import io.fencepost.testkit.brokers.TestBroker;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link JobBehaviour} on three nodes of Apache Kafka, of which one is killed on the way. */
@Tag("kafka")
class JobOnKafkaClusterIT extends JobBehaviour {
  private static final int TESTS_BEFORE_THE_KILL = 4;
  private static final AtomicInteger BEGUN = new AtomicInteger();

  @RegisterExtension
  static final TestBroker CLUSTER = TestBroker.kafkaCluster(Map.of(SHORTEST_SESSION, "1000"));

  @BeforeEach
  void killOneOnTheWay() {
    if (BEGUN.incrementAndGet() == TESTS_BEFORE_THE_KILL) {
      CLUSTER.killOne();
    }
  }

  @Test
  void a_node_killed_in_the_middle_of_a_job_costs_nothing_and_repeats_nothing() throws Exception {
    topics().create("n-payments", "n-charges", "n-repeats", "n-dead");
    int keys = 20_000;
    topics().send("n-payments", Topics.numbered(0, keys));
    try (JobHandle handle =
        dedup("n", payment -> {}).start(config().with("commit.max.records", 100))) {
      soon(() -> handle.counts().records() > 1_000);
      CLUSTER.killOne();
      soon(() -> handle.counts().records() == keys);
      assertThat(handle.isRunning()).isTrue();
    }
    assertThat(Topics.keysOf(topics().read("n-charges"))).hasSize(keys).doesNotHaveDuplicates();
    assertThat(topics().read("n-repeats")).isEmpty();
  }

  @Override
  String bootstrapServers() {
    return CLUSTER.bootstrapServers();
  }
}
