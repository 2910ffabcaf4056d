package io.fencepost.broker.replica;

import static io.fencepost.broker.replica.ReplicaFixture.idempotent;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Three replicas under random cuts, deaths, elections and idempotent writes: what was committed
 * never changes, what was acknowledged by acks=all is found, nothing is written twice.
 */
class ReplicationChaosTest {
  private static final int STEPS = 250;
  private static final int SEEDS = 100;

  static Stream<Arguments> runs() {
    return Stream.of(FlushPolicy.values())
        .flatMap(
            flush ->
                Stream.iterate(1, seed -> seed + 1)
                    .limit(SEEDS)
                    .map(seed -> Arguments.of(flush, seed)));
  }

  private Trio trio;
  private SimEntropy chance;
  private byte[] committed = {};
  private final List<Long> acknowledged = new ArrayList<>();
  private int sequence;
  private @Nullable List<AppendResult> inFlight;

  @ParameterizedTest
  @MethodSource("runs")
  void L1_L2_L6_L8_hold(FlushPolicy flush, int seed) {
    trio = new Trio(flush, 1, seed);
    chance = trio.entropy.named("chaos");
    for (int step = 0; step < STEPS; step++) {
      step(flush);
      trio.scheduler.runFor(chance.nextInt(40));
      look();
    }
    heal();
    look();
    long end = trio.leader().logEndOffset();
    for (int id = 1; id <= 3; id++) {
      assertThat(trio.gate(id).highWatermark()).as("HW of %d", id).isEqualTo(end);
      assertThat(trio.bytes(id, end)).as("bytes of %d", id).isEqualTo(committed);
    }
    assertThat(acknowledged).isNotEmpty().doesNotHaveDuplicates().isSorted();
    assertThat(end).isGreaterThanOrEqualTo(acknowledged.get(acknowledged.size() - 1) + 1);
    // Each sequence stands once, in order: offsets are sequences.
    assertThat(end).isLessThanOrEqualTo(sequence + 1L);
  }

  private void step(FlushPolicy flush) {
    int one = 1 + chance.nextInt(3);
    int other = 1 + chance.nextInt(3);
    switch (chance.nextInt(12)) {
      case 0 -> trio.links.cut(one, one == other ? 0 : other);
      case 1, 2 -> mend(one, one == other ? 0 : other);
      case 3 -> die(one, flush);
      case 4, 5 -> revive(one);
      case 6 -> electSomebody();
      case 7 -> trio.runFor(chance.nextInt(1_500));
      default -> send();
    }
  }

  private void mend(int one, int other) {
    trio.links.mend(one, other);
    trio.publish(trio.state);
  }

  private void die(int id, FlushPolicy flush) {
    if (!trio.brokers.containsKey(id)) {
      return;
    }
    List<Integer> left = trio.state.isr().stream().filter(other -> other != id).toList();
    boolean othersLive = left.stream().anyMatch(trio.brokers::containsKey);
    trio.kill(id, flush == FlushPolicy.OS && !othersLive);
    if (!left.isEmpty() && othersLive) {
      int leader =
          left.contains(trio.state.leader()) && trio.brokers.containsKey(trio.state.leader())
              ? trio.state.leader()
              : left.stream().filter(trio.brokers::containsKey).findFirst().orElseThrow();
      become(leader, left);
    } else if (trio.state.leader() == id) {
      become(PartitionState.NO_LEADER, trio.state.isr());
    }
  }

  private void revive(int id) {
    if (!trio.brokers.containsKey(id)) {
      trio.start(id);
      if (trio.state.leader() == PartitionState.NO_LEADER) {
        electSomebody();
      }
    }
  }

  private void electSomebody() {
    List<Integer> able = trio.state.isr().stream().filter(trio.brokers::containsKey).toList();
    if (!able.isEmpty()) {
      become(able.get(chance.nextInt(able.size())), trio.state.isr());
    }
  }

  private void become(int leader, List<Integer> isr) {
    trio.publish(
        new PartitionState(0, leader, trio.state.leaderEpoch() + 1, trio.state.replicas(), isr));
  }

  /** One producer, one batch in flight, retried until it is answered. */
  private void send() {
    List<AppendResult> waiting = inFlight;
    if (waiting != null && !waiting.isEmpty()) {
      AppendResult result = waiting.get(0);
      if (result.isOk()) {
        assertThat(result.baseOffset()).isEqualTo(sequence);
        acknowledged.add(result.baseOffset());
        sequence++;
      }
      inFlight = null;
    }
    int broker = 1 + chance.nextInt(3);
    if (trio.brokers.containsKey(broker) && trio.gate(broker).isLeader()) {
      List<AppendResult> results = trio.send(broker, idempotent(9, 0, sequence, 1), -1);
      inFlight = results;
      // A leader that is cut off and replaced knows less; a client has newer metadata by then.
      if (!results.isEmpty() && trio.gate(broker).leaderEpoch() == trio.state.leaderEpoch()) {
        assertThat(results.get(0).error()).isNotEqualTo(WireError.OUT_OF_ORDER_SEQUENCE_NUMBER);
      }
    }
  }

  /** What any leader calls committed agrees with what any leader ever did. */
  private void look() {
    for (int id : trio.brokers.keySet()) {
      PartitionGate gate = trio.gate(id);
      byte[] now = trio.bytes(id, gate.highWatermark());
      int shared = Math.min(now.length, committed.length);
      assertThat(Arrays.copyOf(now, shared)).isEqualTo(Arrays.copyOf(committed, shared));
      if (now.length > committed.length) {
        committed = now;
      }
      assertThat(gate.lastStableOffset()).isLessThanOrEqualTo(gate.highWatermark());
    }
  }

  private void heal() {
    for (int one = 0; one <= 3; one++) {
      for (int other = one + 1; other <= 3; other++) {
        trio.links.mend(one, other);
      }
    }
    trio.publish(trio.state);
    for (int id = 1; id <= 3; id++) {
      revive(id);
    }
    if (trio.state.leader() == PartitionState.NO_LEADER) {
      electSomebody();
    }
    trio.runFor(5_000);
    send();
    trio.runFor(1_000);
    send();
    trio.runFor(1_000);
    send();
    trio.runFor(2_000);
    assertThat(trio.state.isr()).containsExactlyInAnyOrder(1, 2, 3);
  }
}
