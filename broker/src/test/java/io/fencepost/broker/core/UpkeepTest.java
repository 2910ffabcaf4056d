package io.fencepost.broker.core;

import static io.fencepost.broker.replica.ReplicaFixture.idempotent;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.cluster.NewTopic;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimScheduler;
import io.fencepost.broker.replica.AppendRequest;
import io.fencepost.broker.replica.PartitionGate;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a broker does by itself, and when: Kafka's hours, which tests with old records rely on. */
class UpkeepTest {
  private static final long MARGIN_MS = 1_000;

  private final SimEntropy entropy = new SimEntropy(7);
  private final SimClock clock = new SimClock();
  private final SimScheduler scheduler = new SimScheduler(clock, entropy.named("scheduler"));
  private final SimDisk disk = new SimDisk(entropy.named("disk"));

  private BrokerCore core(Map<String, String> settings) {
    BrokerCore core =
        BrokerCore.open(
            new CorePorts(clock, scheduler, entropy, disk), BrokerConfig.of(settings), List.of());
    core.start("sim", 9092);
    return core;
  }

  /** Its records were out of date when they were written. */
  private static PartitionGate topicOfOldRecords(BrokerCore core) {
    var created =
        core.services()
            .controller()
            .createTopic(
                new NewTopic(
                    "old", 1, 1, new TreeMap<>(), new TreeMap<>(Map.of("retention.ms", "0"))));
    assertThat(created.message()).isNull();
    PartitionGate gate = core.services().replicas().find("old", 0);
    return Objects.requireNonNull(gate);
  }

  private void send(PartitionGate gate, int sequence) {
    gate.append(AppendRequest.of(idempotent(7, 0, sequence, 1), 1_000), result -> {}).run();
    scheduler.runFor(MARGIN_MS);
  }

  @Test
  void retention_is_applied_half_a_minute_after_the_start_and_then_every_five_minutes() {
    PartitionGate gate = topicOfOldRecords(core(Map.of()));
    send(gate, 0);
    scheduler.runFor(30_000 - 2 * MARGIN_MS);
    assertThat(gate.logStartOffset()).isZero();
    scheduler.runFor(2 * MARGIN_MS);
    assertThat(gate.logStartOffset()).isEqualTo(1);
    send(gate, 1);
    scheduler.runFor(300_000 - 3 * MARGIN_MS);
    assertThat(gate.logStartOffset()).isEqualTo(1);
    scheduler.runFor(2 * MARGIN_MS);
    assertThat(gate.logStartOffset()).isEqualTo(2);
  }

  @Test
  void retention_is_applied_as_often_as_its_setting_says_and_not_once_the_broker_is_stopped() {
    BrokerCore core = core(Map.of("log.retention.check.interval.ms", "10000"));
    PartitionGate gate = topicOfOldRecords(core);
    send(gate, 0);
    scheduler.runFor(10_000);
    assertThat(gate.logStartOffset()).isEqualTo(1);
    send(gate, 1);
    scheduler.runFor(10_000);
    assertThat(gate.logStartOffset()).isEqualTo(2);
    core.stop();
    scheduler.runUntilIdle(1_000);
  }

  @Test
  void idle_producers_are_looked_for_as_often_as_the_setting_says() {
    PartitionGate gate =
        topicOfOldRecords(
            core(
                Map.of(
                    "producer.id.expiration.ms", "1",
                    "producer.id.expiration.check.interval.ms", "20000")));
    send(gate, 0);
    scheduler.runFor(20_000 - 2 * MARGIN_MS);
    assertThat(gate.activeProducers()).hasSize(1);
    scheduler.runFor(2 * MARGIN_MS);
    assertThat(gate.activeProducers()).isEmpty();
  }
}
