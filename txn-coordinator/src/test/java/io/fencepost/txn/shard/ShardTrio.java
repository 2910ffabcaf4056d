package io.fencepost.txn.shard;

import io.fencepost.broker.port.Meters;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimScheduler;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.table.Keys;
import io.fencepost.txn.table.MemoryTables;
import io.fencepost.txn.table.ShardTables;
import io.fencepost.txn.table.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Three brokers with the shards of one partition that any of them may lead, under virtual time. */
class ShardTrio {
  private static final TopicPartition HERE = new TopicPartition("internal", 0);
  static final int BROKERS = 3;

  private final SimClock clock = new SimClock();
  final SimEntropy chance;
  final SimScheduler scheduler;
  final SimPartition partition;
  final List<MemoryTables> tables = new ArrayList<>();
  final List<Shards<TallyShard>> brokers = new ArrayList<>();
  final List<String> notices = new ArrayList<>();

  ShardTrio(SimEntropy chance) {
    this.chance = chance;
    scheduler = new SimScheduler(clock, chance.named("order"));
    partition = new SimPartition(scheduler, BROKERS);
    for (int i = 0; i < BROKERS; i++) {
      tables.add(new MemoryTables());
      brokers.add(shards(i));
    }
  }

  Shards<TallyShard> shards(int broker) {
    return new Shards<>(
        HERE.topic(),
        partition.at(broker),
        () -> tables.get(broker),
        TallyShard::new,
        new ShardRuntime.Environment(clock, scheduler, notices::add, Meters.NONE),
        runtime -> {});
  }

  void elect(int broker) {
    partition.elect(broker);
    brokers.forEach(Shards::refreshSoon);
  }

  void settle() {
    scheduler.runFor(100);
  }

  /** Appends a record of the key; the answers arrive in the list. */
  List<WireError> write(int broker, String key) {
    List<WireError> answers = new ArrayList<>();
    brokers
        .get(broker)
        .write(
            key,
            new ShardTask<>() {
              @Override
              public ShardDecision decide(TallyShard shard) {
                return ShardDecision.write(
                    List.of(new NewRecord(Keys.of(key), Keys.of("v"))),
                    () -> answers.add(WireError.NONE));
              }

              @Override
              public void refused(WireError error) {
                answers.add(error);
              }
            });
    return answers;
  }

  /** What the coordinator there says of the key: offsets, or an error. */
  String read(int broker, String key) {
    String[] seen = {"waits"};
    brokers
        .get(broker)
        .write(
            key,
            new ShardTask<>() {
              @Override
              public ShardDecision decide(TallyShard shard) {
                String offsets = shard.offsetsOf(key);
                return ShardDecision.answer(() -> seen[0] = offsets);
              }

              @Override
              public void refused(WireError error) {
                seen[0] = error.name();
              }
            });
    return seen[0];
  }

  TreeMap<String, String> rows(int broker) {
    TreeMap<String, String> rows = new TreeMap<>();
    tables
        .get(broker)
        .scan(
            Table.GROUPS,
            new byte[0],
            (key, value) -> rows.put(Keys.text(key), Keys.text(value)) == null);
    return rows;
  }

  /** What a replay of the whole log of that broker gives. */
  TreeMap<String, String> replayed(int broker) {
    MemoryTables fresh = new MemoryTables();
    ShardTables view = new ShardTables(fresh, HERE, partition.at(broker).topicId());
    long unused = new Replay(new TallyShard(view), view).apply(partition.at(broker).bytes(), 0);
    TreeMap<String, String> rows = new TreeMap<>();
    fresh.scan(
        Table.GROUPS,
        new byte[0],
        (key, value) -> rows.put(Keys.text(key), Keys.text(value)) == null);
    return rows;
  }
}
