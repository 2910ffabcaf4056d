package io.fencepost.txn.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.port.Meters;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimScheduler;
import io.fencepost.broker.replica.MarkerRequest;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.shard.ShardRuntime;
import io.fencepost.txn.shard.Shards;
import io.fencepost.txn.shard.SimPartition;
import io.fencepost.txn.table.MemoryTables;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnEntry;
import io.fencepost.txn.txn.TxnEvent;
import io.fencepost.txn.txn.TxnState;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two coordinators of the same ids, of which one leads, under virtual time. */
class TxnFailoverTest {
  private static final TopicPartition DATA = new TopicPartition("data", 0);
  private static final TopicPartition AWAY = new TopicPartition("away", 0);

  private final SimClock clock = new SimClock();
  private final SimScheduler scheduler = new SimScheduler(clock, new SimEntropy(1));
  private final SimPartition log = new SimPartition(scheduler, 2);
  private final List<TxnCoordinator> coordinators = new ArrayList<>();
  private final List<MarkerRequest> markers = new ArrayList<>();
  private boolean isAway = true;
  private long nextId = 100;

  @BeforeEach
  void start() {
    for (int i = 0; i < 2; i++) {
      MemoryTables rows = new MemoryTables();
      TxnCoordinator coordinator =
          new TxnCoordinator(
              new TxnCoordinator.Parts(
                  log.at(i),
                  () -> rows,
                  this::write,
                  () -> nextId++,
                  new ShardRuntime.Environment(clock, scheduler, notice -> {}, Meters.NONE)),
              new TxnCoordinator.Settings(900_000, 500, 1L << 40, 1L << 40));
      coordinator.start();
      coordinators.add(coordinator);
    }
    elect(0);
    settle();
  }

  private void write(TopicPartition partition, MarkerRequest marker, Consumer<WireError> answer) {
    boolean isTaken = !isAway || !partition.equals(AWAY);
    if (isTaken) {
      markers.add(marker);
    }
    answer.accept(isTaken ? WireError.NONE : WireError.NETWORK_EXCEPTION);
  }

  private void elect(int broker) {
    log.elect(broker);
    coordinators.forEach(coordinator -> coordinator.shards().refreshSoon());
  }

  private void settle() {
    scheduler.runFor(100);
  }

  private List<WireError> ask(int broker, String id, TxnEvent event, List<TxnEntry> entries) {
    List<WireError> errors = new ArrayList<>();
    coordinators
        .get(broker)
        .handle(
            id,
            event,
            (error, entry) -> {
              errors.add(error);
              if (entry != null) {
                entries.add(entry);
              }
            });
    return errors;
  }

  private ProducerIdentity begin(String id, TopicPartition partition) {
    List<TxnEntry> entries = new ArrayList<>();
    ask(0, id, new TxnEvent.Init(id, ProducerIdentity.NONE, 60_000), entries);
    settle();
    ProducerIdentity me = entries.get(0).producer();
    ask(0, id, new TxnEvent.AddPartitions(me, new TreeSet<>(List.of(partition)), 2), entries);
    settle();
    assertThat(entries).hasSize(2);
    return me;
  }

  private TxnEntry entry(int broker, String id) {
    List<TxnEntry> found = new ArrayList<>();
    coordinators
        .get(broker)
        .describe(
            id,
            (error, entry) -> {
              assertThat(error).isEqualTo(WireError.NONE);
              found.add(entry);
            });
    settle();
    return found.get(0);
  }

  @Test
  void a_prepared_transaction_is_ended_by_the_next_leader_and_by_it_alone() {
    ProducerIdentity me = begin("id", AWAY);
    TxnEvent commit = new TxnEvent.End(me, true, 2);
    List<WireError> first = ask(0, "id", commit, new ArrayList<>());
    settle();
    assertThat(first).as("its marker is not in").isEmpty();
    elect(1);
    isAway = false;
    settle();
    scheduler.runFor(60_000);
    assertThat(first).containsExactly(WireError.NOT_COORDINATOR);
    assertThat(markers).hasSize(1);
    assertThat(markers.get(0).commit()).isTrue();
    assertThat(markers.get(0).coordinatorEpoch()).isEqualTo(2);
    assertThat(entry(1, "id").state()).isEqualTo(TxnState.COMPLETE_COMMIT);
    List<TxnEntry> again = new ArrayList<>();
    List<WireError> repeated = ask(1, "id", commit, again);
    settle();
    assertThat(repeated).as("asked again, as after a lost answer").containsExactly(WireError.NONE);
    assertThat(ask(0, "id", commit, again)).containsExactly(WireError.NOT_COORDINATOR);
  }

  @Test
  void a_partition_whose_leader_is_away_holds_up_no_other_id() {
    ProducerIdentity held = begin("held", AWAY);
    ProducerIdentity free = begin("free", DATA);
    List<WireError> waits = ask(0, "held", new TxnEvent.End(held, true, 2), new ArrayList<>());
    List<WireError> done = ask(0, "free", new TxnEvent.End(free, true, 2), new ArrayList<>());
    settle();
    assertThat(done).containsExactly(WireError.NONE);
    assertThat(waits).isEmpty();
    isAway = false;
    scheduler.runFor(10_000);
    assertThat(waits).containsExactly(WireError.NONE);
  }

  @Test
  void a_prepare_that_was_not_committed_in_time_is_not_reversed() {
    ProducerIdentity me = begin("id", DATA);
    log.freeze();
    List<WireError> commit = ask(0, "id", new TxnEvent.End(me, true, 2), new ArrayList<>());
    log.timeOut();
    settle();
    assertThat(commit).containsExactly(WireError.COORDINATOR_NOT_AVAILABLE);
    List<WireError> abort =
        ask(0, "id", new TxnEvent.Init("id", ProducerIdentity.NONE, 60_000), new ArrayList<>());
    settle();
    assertThat(abort).containsExactly(WireError.COORDINATOR_NOT_AVAILABLE);
    log.flow();
    scheduler.runFor(120_000);
    assertThat(markers).hasSize(1);
    assertThat(markers.get(0).commit()).isTrue();
    assertThat(entry(0, "id").state()).isEqualTo(TxnState.COMPLETE_COMMIT);
  }

  @Test
  void the_next_leader_times_out_what_is_open() {
    begin("id", DATA);
    elect(1);
    scheduler.runFor(70_000);
    assertThat(entry(1, "id").state()).isEqualTo(TxnState.COMPLETE_ABORT);
    assertThat(markers).hasSize(1);
  }

  @Test
  void only_the_leader_s_ids_are_listed() {
    begin("id", DATA);
    elect(1);
    settle();
    for (int broker = 0; broker < 2; broker++) {
      List<TxnEntry> listed = new ArrayList<>();
      coordinators.get(broker).list(entry -> true, (error, entries) -> listed.addAll(entries));
      settle();
      assertThat(listed).as("broker %d", broker).hasSize(broker);
    }
    Shards<TxnShard> old = coordinators.get(0).shards();
    assertThat(old.all()).isEmpty();
  }
}
