package io.fencepost.txn.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.log.CompactionConfig;
import io.fencepost.broker.log.LogConfig;
import io.fencepost.broker.port.Meters;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimScheduler;
import io.fencepost.broker.replica.Cleaner;
import io.fencepost.broker.replica.MarkerRequest;
import io.fencepost.broker.replica.PartitionConfig;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.replica.Replicas;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.ids.ProducerIds;
import io.fencepost.txn.shard.CommittedLog;
import io.fencepost.txn.shard.GateLogs;
import io.fencepost.txn.shard.ShardLog;
import io.fencepost.txn.shard.ShardLogs;
import io.fencepost.txn.shard.ShardRuntime;
import io.fencepost.txn.table.Keys;
import io.fencepost.txn.table.MemoryTables;
import io.fencepost.txn.table.Table;
import io.fencepost.txn.table.Tables;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnEntry;
import io.fencepost.txn.txn.TxnEvent;
import io.fencepost.txn.txn.TxnState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Coordinator over a real partition on a simulated disk. Goal: whatever was answered survives power
 * failures at random moments, epochs only grow, every prepared transaction gets its markers before
 * it is complete, and a replay of the log from its start gives the state in service, although the
 * log is compacted all the while. Method: random requests to a few ids on one thread under virtual
 * time.
 */
class TxnCrashTest {
  private static final int IDS = 3;
  private static final int STEPS = 250;
  private static final Uuid TOPIC_ID = new Uuid(1, 2);
  private static final TopicPartition LOG = new TopicPartition(TxnCoordinator.TOPIC, 0);
  private static final TopicPartition DATA = new TopicPartition("data", 0);
  private static final TopicPartition OTHER = new TopicPartition("data", 1);

  private final Map<String, TxnEntry> answered = new TreeMap<>();
  private final TreeSet<String> succeeded = new TreeSet<>();

  @Test
  void answered_ends_survive_crashes_and_replay_gives_the_state_in_service() {
    long first = Long.getLong("fencepost.crash.seed", System.nanoTime() & 0xffff);
    for (long seed = first; seed < first + 12; seed++) {
      answered.clear();
      run(seed);
    }
    assertThat(succeeded).contains("init", "add", "commit", "abort", "crash", "compacted");
  }

  @Test
  void setting_the_wall_clock_forward_times_no_open_transaction_out() {
    World world = new World(new SimEntropy(1));
    world.boot();
    begin(world, ProducerIdentity.NONE);
    world.clock.stepWallMs(3_600_000);
    world.scheduler.runFor(30_000);
    assertThat(world.entry("id")).extracting(TxnEntry::state).isEqualTo(TxnState.ONGOING);
    world.scheduler.runFor(40_000);
    assertThat(world.entry("id")).extracting(TxnEntry::state).isEqualTo(TxnState.COMPLETE_ABORT);
  }

  /** Says who it is, or that it is new, and adds a partition. */
  private static ProducerIdentity begin(World world, ProducerIdentity claimed) {
    ProducerIdentity me = world.ask("id", new TxnEvent.Init("id", claimed, 60_000)).producer();
    world.ask("id", new TxnEvent.AddPartitions(me, new TreeSet<>(List.of(DATA)), 2));
    return me;
  }

  @Test
  void every_end_is_counted_as_what_it_was() {
    World world = new World(new SimEntropy(1));
    world.boot();
    world.ask("id", new TxnEvent.End(begin(world, ProducerIdentity.NONE), true, 2));
    ProducerIdentity me = begin(world, ProducerIdentity.NONE);
    me = begin(world, me);
    assertThat(world.endings).containsExactly(Meters.Ending.COMMITTED, Meters.Ending.ABORTED);
    world.ask("id", new TxnEvent.End(me, false, 0));
    begin(world, ProducerIdentity.NONE);
    begin(world, ProducerIdentity.NONE);
    world.scheduler.runFor(70_000);
    assertThat(world.endings.subList(2, 5))
        .containsExactly(Meters.Ending.ABORTED, Meters.Ending.FENCED, Meters.Ending.TIMED_OUT);
  }

  private void run(long seed) {
    String at = "seed " + seed;
    SimEntropy chance = new SimEntropy(seed);
    World world = new World(chance);
    world.boot();
    for (int step = 0; step < STEPS; step++) {
      if (chance.nextInt(25) == 0) {
        world.crash();
        succeeded.add("crash");
        for (Map.Entry<String, TxnEntry> known : answered.entrySet()) {
          TxnEntry now = world.entry(known.getKey());
          assertThat(now).as(at).isNotNull();
          assertThat(isLater(known.getValue(), now)).as("%s: %s then %s", at, known, now).isTrue();
        }
      }
      if (chance.nextInt(40) == 0) {
        world.tables.flush();
      }
      request(world, chance, "id-" + chance.nextInt(IDS), at);
      for (int i = chance.nextInt(6); i > 0; i--) {
        world.scheduler.step();
      }
    }
    world.settle();
    if (world.gate.sizeBytes() < 60 * world.gate.logEndOffset()) {
      succeeded.add("compacted");
    }
    assertThat(world.notices).as(at).isEmpty();
    assertThat(world.rows(world.tables)).as(at).isEqualTo(world.rows(world.replayed()));
  }

  private void request(World world, SimEntropy chance, String id, String at) {
    TxnEntry known = answered.get(id);
    ProducerIdentity me = known == null ? ProducerIdentity.NONE : known.producer();
    int what = known == null ? 0 : chance.nextInt(6);
    TxnEvent event =
        switch (what) {
          case 0 -> new TxnEvent.Init(id, chance.oneOf(500) ? me : ProducerIdentity.NONE, 60_000);
          case 1 -> new TxnEvent.AddPartitions(me, new TreeSet<>(List.of(DATA)), 2);
          case 2 -> new TxnEvent.AddPartitions(me, new TreeSet<>(List.of(OTHER)), 2);
          case 3 -> new TxnEvent.AddPartitions(me, new TreeSet<>(List.of(DATA, OTHER)), 2);
          default -> new TxnEvent.End(me, what == 4, 2);
        };
    String name = what == 0 ? "init" : what < 4 ? "add" : what == 4 ? "commit" : "abort";
    int life = world.life;
    world.coordinator.handle(
        id,
        event,
        (error, entry) -> {
          if (error != WireError.NONE || entry == null || life != world.life) {
            return;
          }
          succeeded.add(name);
          if (event instanceof TxnEvent.End end && end.commit()) {
            assertThat(world.markers)
                .as("%s: markers of %s before the answer", at, entry)
                .anySatisfy(
                    marker -> {
                      assertThat(marker.producerId()).isEqualTo(end.producer().producerId());
                      assertThat(marker.producerEpoch()).isEqualTo(entry.producer().epoch());
                    });
          }
          answered.merge(id, entry, (old, fresh) -> isLater(old, fresh) ? fresh : old);
        });
  }

  /**
   * Whether the second state may follow the first: epochs never go back, and as each end raises
   * them, a transaction of the same one is still open and has lost no partition.
   */
  private static boolean isLater(TxnEntry before, TxnEntry after) {
    if (after.producer().equals(before.producer())) {
      return before.state() != TxnState.ONGOING
          || (after.state() == TxnState.ONGOING
              && after.partitions().containsAll(before.partitions()));
    }
    return after.producer().producerId() > before.producer().producerId()
        || (after.producer().producerId() == before.producer().producerId()
            && after.producer().epoch() > before.producer().epoch());
  }

  /** A broker without sockets that can lose its power. */
  private static final class World {
    final SimClock clock = new SimClock();
    final SimScheduler scheduler;
    final SimDisk disk;
    final MemoryTables tables = new MemoryTables();
    final List<MarkerRequest> markers = new ArrayList<>();
    final List<String> notices = new ArrayList<>();
    final List<Meters.Ending> endings = new ArrayList<>();
    private final Meters meters =
        new Meters() {
          @Override
          public void onTransactionEnd(Ending ending) {
            endings.add(ending);
          }
        };
    private final PartitionConfig config =
        PartitionConfig.defaults(FlushPolicy.GROUP)
            .withLog(LogConfig.defaults().withSegmentBytes(3000))
            .withCleanup(true, false, new CompactionConfig(0, 0, Long.MAX_VALUE, 200));
    TxnCoordinator coordinator;
    PartitionGate gate;
    @Nullable Cleaner cleaner;
    int life;

    World(SimEntropy chance) {
      scheduler = new SimScheduler(clock, chance.named("order"));
      disk = new SimDisk(chance.named("disk"));
      coordinator = coordinator(tables);
    }

    void boot() {
      coordinator = coordinator(tables);
      coordinator.start();
    }

    private TxnCoordinator coordinator(Tables over) {
      if (cleaner != null) {
        cleaner.stop();
      }
      Replicas replicas = new Replicas(disk, clock, scheduler);
      gate = replicas.open(LOG, TOPIC_ID, 0, config);
      cleaner =
          new Cleaner(replicas, clock, scheduler, new Cleaner.Settings(20, 1 << 16), notices::add);
      cleaner.start();
      assertThat(gate.highWatermark()).isEqualTo(gate.logEndOffset());
      MarkerTarget target =
          (partition, marker, answer) ->
              scheduler.after(
                  1,
                  () -> {
                    markers.add(marker);
                    answer.accept(WireError.NONE);
                  });
      return new TxnCoordinator(
          new TxnCoordinator.Parts(
              new OneTopic(replicas),
              () -> over,
              target,
              new ProducerIds(disk),
              new ShardRuntime.Environment(clock, scheduler, notice -> {}, meters)),
          new TxnCoordinator.Settings(900_000, 500, 1L << 40, 3_600_000));
    }

    void crash() {
      life++;
      scheduler.clear();
      disk.crash();
      tables.crash();
      boot();
      settle();
    }

    void settle() {
      scheduler.runFor(2_000);
    }

    /** Must succeed. */
    TxnEntry ask(String id, TxnEvent event) {
      List<TxnEntry> seen = new ArrayList<>();
      coordinator.handle(
          id,
          event,
          (error, entry) -> {
            assertThat(error).as("%s", event).isEqualTo(WireError.NONE);
            seen.add(entry);
          });
      settle();
      return seen.get(0);
    }

    @Nullable TxnEntry entry(String id) {
      List<TxnEntry> found = new ArrayList<>();
      coordinator.describe(
          id,
          (error, entry) -> {
            assertThat(error).isEqualTo(WireError.NONE);
            if (entry != null) {
              found.add(entry);
            }
          });
      settle();
      if (found.isEmpty()) {
        return null;
      }
      assertThat(found.get(0).state()).isNotIn(TxnState.PREPARE_COMMIT, TxnState.PREPARE_ABORT);
      return found.get(0);
    }

    /** The state that a coordinator makes out of the log alone. */
    Tables replayed() {
      MemoryTables fresh = new MemoryTables();
      coordinator.stop();
      TxnCoordinator again = coordinator(fresh);
      again.shards().all().forEach(ShardRuntime::warmUp);
      return fresh;
    }

    List<String> rows(Tables from) {
      List<String> rows = new ArrayList<>();
      for (Table table : Table.values()) {
        Consumer<String> add = rows::add;
        from.scan(
            table,
            new byte[0],
            (key, value) -> {
              add.accept(table + Keys.text(key) + Arrays.toString(value));
              return true;
            });
      }
      return rows;
    }
  }

  /** The log without a cluster around it. */
  private static final class OneTopic implements ShardLogs {
    private final Replicas replicas;
    private @Nullable ShardLog log;

    OneTopic(Replicas replicas) {
      this.replicas = replicas;
    }

    @Override
    public int partitionCount(String topic) {
      return 1;
    }

    @Override
    public @Nullable ShardLog find(TopicPartition topicPartition) {
      if (log == null) {
        PartitionGate gate = replicas.find(topicPartition);
        log = gate == null ? null : GateLogs.over(gate);
      }
      return log;
    }

    @Override
    public @Nullable CommittedLog copy(TopicPartition topicPartition) {
      ShardLog led = find(topicPartition);
      return led == null ? null : led.committed();
    }
  }
}
