package io.fencepost.txn.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.port.Meters;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimScheduler;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.rocks.RocksTables;
import io.fencepost.txn.shard.NewRecord;
import io.fencepost.txn.shard.ShardDecision;
import io.fencepost.txn.shard.ShardRuntime;
import io.fencepost.txn.shard.ShardTask;
import io.fencepost.txn.shard.SimPartition;
import io.fencepost.txn.table.CountingTables;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnEntry;
import io.fencepost.txn.txn.TxnState;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What a coordinator that was just elected does before its first answer. */
class ElectionCostTest {
  private static final int IDS = 100_000;
  private static final int OPEN = 10;
  private static final int BATCH = 500;

  private final SimClock clock = new SimClock();
  private final SimScheduler scheduler = new SimScheduler(clock, new SimEntropy(1));
  private final SimPartition log = new SimPartition(scheduler, 2);

  private TxnCoordinator coordinator(int broker, CountingTables rows) {
    return new TxnCoordinator(
        new TxnCoordinator.Parts(
            log.at(broker),
            () -> rows,
            (partition, marker, answer) -> answer.accept(WireError.NONE),
            () -> 1,
            new ShardRuntime.Environment(clock, scheduler, notice -> {}, Meters.NONE)),
        new TxnCoordinator.Settings(900_000, 1L << 40, 1L << 40, 1L << 40));
  }

  @Test
  void an_election_reads_no_row_of_an_idle_id() {
    try (CountingTables first = new CountingTables(RocksTables.temporary());
        CountingTables second = new CountingTables(RocksTables.temporary())) {
      TxnCoordinator old = coordinator(0, first);
      TxnCoordinator next = coordinator(1, second);
      log.elect(0);
      old.shards().refresh();
      next.shards().refresh();
      scheduler.runFor(10);
      fill(old);
      scheduler.runFor(10);
      assertThat(log.at(1).highWatermark()).isEqualTo(2 * IDS);
      second.rowsRead = 0;
      List<TxnEntry> seen = new ArrayList<>();
      long beganNanos = System.nanoTime();
      log.elect(1);
      next.describe("id-77777", (error, entry) -> seen.add(entry));
      long tookMs = (System.nanoTime() - beganNanos) / 1_000_000;
      assertThat(seen).extracting(TxnEntry::state).containsExactly(TxnState.COMPLETE_COMMIT);
      assertThat(second.rowsRead).isLessThan(3 * OPEN + 20);
      assertThat(tookMs).as("on a machine that does other things too").isLessThan(1_000);
      old.stop();
      next.stop();
    }
  }

  /** Each id has a transaction in the log, and all but a few are complete. */
  private void fill(TxnCoordinator coordinator) {
    log.freeze();
    for (TxnState state : List.of(TxnState.ONGOING, TxnState.COMPLETE_COMMIT)) {
      for (int id = 0; id < IDS; id += BATCH) {
        List<NewRecord> records = new ArrayList<>();
        for (int i = id; i < id + BATCH; i++) {
          boolean staysOpen = i < OPEN;
          records.add(TxnCodec.toRecord(entry(i, staysOpen ? TxnState.ONGOING : state)));
        }
        coordinator.shards().all().get(0).read(new Filling(records));
      }
    }
    log.flow();
  }

  private record Filling(List<NewRecord> records) implements ShardTask<TxnShard> {
    @Override
    public ShardDecision decide(TxnShard shard) {
      return ShardDecision.write(records, () -> {});
    }

    @Override
    public void refused(WireError error) {
      throw new AssertionError(error);
    }
  }

  private static TxnEntry entry(int number, TxnState state) {
    return new TxnEntry(
        "id-" + number,
        new ProducerIdentity(number, (short) 1),
        ProducerIdentity.NONE,
        -1,
        60_000,
        state,
        state == TxnState.ONGOING
            ? new TreeSet<>(List.of(new TopicPartition("data", 0)))
            : new TreeSet<>(),
        1,
        1,
        2);
  }
}
