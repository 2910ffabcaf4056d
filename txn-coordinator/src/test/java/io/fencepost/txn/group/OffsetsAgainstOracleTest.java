package io.fencepost.txn.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.txn.table.MemoryTables;
import io.fencepost.txn.table.ShardTables;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random commits, staged commits, deletions and markers, against a model that keeps the whole log
 * and asks it each time: which commit that counts stands last?
 */
class OffsetsAgainstOracleTest {
  private static final TopicPartition LOG = new TopicPartition("__consumer_offsets", 0);
  private static final List<OffsetKey> KEYS =
      List.of(key("g", "t", 0), key("g", "t", 1), key("g", "tt", 0), key("gt", "", 0));

  private static OffsetKey key(String group, String topic, int partition) {
    return new OffsetKey(group, new TopicPartition(topic, partition));
  }

  /** One entry of the log, as naive as it gets. */
  private record Entry(
      char kind, long logOffset, long producerId, short epoch, @Nullable OffsetKey key) {}

  @Test
  void the_log_order_decides_in_service_and_after_every_restart() {
    for (int i = 0; i < 60; i++) {
      long seed = Long.getLong("fencepost.seed", 0x5eed) + i;
      try {
        run(seed);
      } catch (AssertionError failure) {
        throw new AssertionError("rerun with -Dfencepost.seed=" + seed, failure);
      }
    }
  }

  private static void run(long seed) {
    SimEntropy chance = new SimEntropy(seed);
    List<Entry> log = new ArrayList<>();
    ShardTables tables = new ShardTables(new MemoryTables(), LOG, new Uuid(1, 1));
    short[] epochs = new short[3];
    for (int step = 0; step < 120; step++) {
      Entry entry = draw(chance, step, epochs);
      log.add(entry);
      replay(tables, entry);
      if (chance.nextInt(10) == 0) {
        tables = new ShardTables(new MemoryTables(), LOG, new Uuid(1, 1));
        for (Entry again : log) {
          replay(tables, again);
        }
      }
      check(tables, log);
    }
  }

  private static Entry draw(SimEntropy chance, int step, short[] epochs) {
    int producer = chance.nextInt(epochs.length);
    OffsetKey key = KEYS.get(chance.nextInt(KEYS.size()));
    return switch (chance.nextInt(8)) {
      case 0, 1 -> new Entry('p', step, -1, (short) -1, key);
      case 2, 3, 4 -> new Entry('s', step, producer, epochs[producer], key);
      case 5 -> new Entry('d', step, -1, (short) -1, key);
      case 6 -> new Entry('c', step, producer, epochs[producer]++, null);
      default -> new Entry('a', step, producer, epochs[producer]++, null);
    };
  }

  private static void replay(ShardTables tables, Entry entry) {
    Offsets offsets = new Offsets(tables);
    StoredOffset stored =
        new StoredOffset(1000 + entry.logOffset(), 3, "note é", 7, -1, entry.logOffset());
    tables.begin();
    OffsetKey key = entry.key();
    if (key == null) {
      offsets.replayMarker(entry.producerId(), entry.epoch(), entry.kind() == 'c');
    } else if (entry.kind() == 'p') {
      offsets.replayCommit(key, stored);
    } else if (entry.kind() == 's') {
      offsets.replayStaged(entry.producerId(), entry.epoch(), key, stored);
    } else {
      offsets.replayDelete(key);
    }
    tables.commit(entry.logOffset() + 1, 0);
  }

  private static void check(ShardTables tables, List<Entry> log) {
    Offsets offsets = new Offsets(tables);
    SortedMap<OffsetKey, Long> all = new TreeMap<>();
    offsets.forEach(
        (key, stored) -> {
          all.put(key, stored.offset());
          return true;
        });
    SortedMap<OffsetKey, Long> expected = new TreeMap<>();
    for (OffsetKey key : KEYS) {
      Long last = lastThatCounts(log, key);
      if (last != null) {
        expected.put(key, last);
      }
      StoredOffset found = offsets.committed(key);
      assertThat(found == null ? null : found.offset()).as("%s", key).isEqualTo(last);
      assertThat(offsets.isStaged(key)).as("staged %s", key).isEqualTo(isStaged(log, key));
    }
    assertThat(all).isEqualTo(expected);
    for (String group : List.of("g", "gt", "t")) {
      boolean known =
          KEYS.stream()
              .filter(key -> key.group().equals(group))
              .anyMatch(key -> expected.containsKey(key) || isStaged(log, key));
      assertThat(offsets.knowsGroup(group)).as("knows %s", group).isEqualTo(known);
    }
  }

  private static @Nullable Long lastThatCounts(List<Entry> log, OffsetKey key) {
    Long last = null;
    for (int i = 0; i < log.size(); i++) {
      Entry entry = log.get(i);
      if (!key.equals(entry.key())) {
        continue;
      }
      if (entry.kind() == 'd') {
        last = null;
      } else if (entry.kind() == 'p' || (entry.kind() == 's' && end(log, i) == 'c')) {
        last = 1000 + entry.logOffset();
      }
    }
    return last;
  }

  private static boolean isStaged(List<Entry> log, OffsetKey key) {
    boolean staged = false;
    Map<Long, Boolean> open = new TreeMap<>();
    for (int i = 0; i < log.size(); i++) {
      Entry entry = log.get(i);
      if (key.equals(entry.key()) && entry.kind() == 'd') {
        open.clear();
      } else if (key.equals(entry.key()) && entry.kind() == 's') {
        open.put(entry.producerId(), true);
      } else if (entry.key() == null) {
        open.remove(entry.producerId());
      }
      staged = !open.isEmpty();
    }
    return staged;
  }

  /** The kind of the marker that ends the staged entry, or '-' while it is open. */
  private static char end(List<Entry> log, int index) {
    for (int i = index + 1; i < log.size(); i++) {
      Entry entry = log.get(i);
      if (entry.key() == null && entry.producerId() == log.get(index).producerId()) {
        return entry.kind();
      }
    }
    return '-';
  }
}
