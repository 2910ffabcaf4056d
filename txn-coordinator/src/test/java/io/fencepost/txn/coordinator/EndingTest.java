package io.fencepost.txn.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimScheduler;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnEntry;
import io.fencepost.txn.txn.TxnState;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Markers that some partitions do not take at once, under virtual time. */
class EndingTest {
  private static final TopicPartition GOOD = new TopicPartition("good", 0);
  private static final TopicPartition BAD = new TopicPartition("bad", 3);
  private static final TxnEntry PREPARED =
      new TxnEntry(
          "payments-1",
          new ProducerIdentity(7, (short) 5),
          ProducerIdentity.NONE,
          -1,
          60_000,
          TxnState.PREPARE_COMMIT,
          new TreeSet<>(List.of(GOOD, BAD)),
          1,
          1,
          2);

  private final SimClock clock = new SimClock();
  private final SimScheduler scheduler = new SimScheduler(clock, new SimEntropy(1));
  private final TreeMap<TopicPartition, Integer> asked = new TreeMap<>();
  private final List<String> notices = new ArrayList<>();
  private final List<WireError> done = new ArrayList<>();
  private WireError answerOfBad = WireError.KAFKA_STORAGE_ERROR;
  private boolean isStopped;

  private void start() {
    MarkerTarget target =
        (partition, marker, answer) -> {
          asked.merge(partition, 1, Integer::sum);
          answer.accept(partition.equals(BAD) ? answerOfBad : WireError.NONE);
        };
    new Ending(
            PREPARED,
            0,
            new Ending.Parts(target, scheduler, () -> isStopped, notices::add),
            done::add)
        .start();
  }

  @Test
  void a_broken_partition_is_asked_ever_less_often_and_the_good_ones_once() {
    start();
    scheduler.runFor(600_000);
    assertThat(done).isEmpty();
    assertThat(asked).containsEntry(GOOD, 1);
    assertThat(asked.get(BAD))
        .as("every %d ms in the long run", Ending.LONGEST_PAUSE_MS)
        .isBetween(100, 140);
  }

  @Test
  void the_operator_hears_of_the_trouble_once_a_minute_and_of_its_end() {
    start();
    assertThat(notices).hasSize(1);
    assertThat(notices.get(0)).contains("commit", "payments-1", "7/5", "bad-3", "STORAGE");
    scheduler.runFor(600_000);
    assertThat(notices).hasSizeBetween(9, 12);
    answerOfBad = WireError.NONE;
    scheduler.runFor(Ending.LONGEST_PAUSE_MS);
    assertThat(done).containsExactly(WireError.NONE);
    assertThat(notices.get(notices.size() - 1)).contains("payments-1", "after all");
    scheduler.runFor(60_000);
    assertThat(done).hasSize(1);
  }

  @Test
  void short_trouble_delays_the_end_by_little() {
    start();
    answerOfBad = WireError.NONE;
    scheduler.runFor(Ending.FIRST_PAUSE_MS);
    assertThat(done).containsExactly(WireError.NONE);
  }

  @Test
  void a_deleted_partition_owes_nothing() {
    answerOfBad = WireError.UNKNOWN_TOPIC_OR_PARTITION;
    start();
    assertThat(done).containsExactly(WireError.NONE);
    assertThat(notices).isEmpty();
  }

  @Test
  void a_stopped_broker_leaves_the_rest_to_its_next_life() {
    start();
    isStopped = true;
    scheduler.runFor(60_000);
    assertThat(done).containsExactly(WireError.NOT_COORDINATOR);
    assertThat(asked).containsEntry(BAD, 1);
  }
}
