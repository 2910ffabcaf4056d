package io.fencepost.txn.rocks;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.disk.FileDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.txn.table.Keys;
import io.fencepost.txn.table.MemoryTables;
import io.fencepost.txn.table.Table;
import io.fencepost.txn.table.Tables;
import io.fencepost.txn.table.WriteSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same random writes to both, with reopenings: equal answers and equal snapshots. */
class RocksTablesAgainstMemoryTest {
  private static final List<Table> TABLES = List.of(Table.values());
  private static final int STEPS = 2_000;

  @TempDir private Path directory;

  @Test
  void rocks_and_memory_hold_the_same_rows_at_every_step() {
    long seed = Long.getLong("fencepost.table.seed", System.nanoTime());
    SimEntropy chance = new SimEntropy(seed);
    MemoryTables memory = new MemoryTables();
    Tables rocks = RocksTables.open(new FileDisk(directory));
    try {
      for (int step = 0; step < STEPS; step++) {
        WriteSet changes = new WriteSet();
        for (int i = chance.nextInt(4); i >= 0; i--) {
          Table table = TABLES.get(chance.nextInt(TABLES.size()));
          byte[] key = Keys.join(Keys.of(chance.nextInt(3)), Keys.of("k" + chance.nextInt(40)));
          if (chance.nextInt(3) == 0) {
            changes.delete(table, key);
          } else {
            changes.put(table, key, Keys.of(chance.nextLong()));
          }
        }
        memory.write(changes);
        rocks.write(changes);
        if (chance.nextInt(100) == 0) {
          assertThat(snapshot(rocks)).as("seed %d step %d", seed, step).isEqualTo(snapshot(memory));
        }
        if (chance.nextInt(700) == 0) {
          rocks.close();
          rocks = RocksTables.open(new FileDisk(directory));
        }
      }
      assertThat(snapshot(rocks)).as("seed %d", seed).isEqualTo(snapshot(memory));
      assertThat(snapshot(rocks)).isNotEmpty();
    } finally {
      rocks.close();
    }
  }

  @Test
  void unreadable_state_is_set_aside_and_begun_anew() throws IOException {
    try (RocksTables rocks = RocksTables.open(new FileDisk(directory))) {
      WriteSet changes = new WriteSet();
      changes.put(Table.TRANSACTIONS, Keys.of("a"), Keys.of("1"));
      rocks.write(changes);
    }
    Path state = directory.resolve("coordinator-state");
    try (Stream<Path> files = Files.list(state)) {
      for (Path file : files.filter(f -> f.toString().contains("MANIFEST")).toList()) {
        Files.writeString(file, "rot");
      }
    }
    try (RocksTables rocks = RocksTables.open(new FileDisk(directory))) {
      assertThat(rocks.get(Table.TRANSACTIONS, Keys.of("a"))).isNull();
    }
    assertThat(directory.resolve("coordinator-state.unreadable-1")).isDirectory();
  }

  private static List<String> snapshot(Tables tables) {
    List<String> rows = new ArrayList<>();
    for (Table table : Table.values()) {
      for (int prefix = 0; prefix < 3; prefix++) {
        tables.scan(
            table,
            Keys.of(prefix),
            (key, value) -> {
              assertThat(tables.get(table, key)).isEqualTo(value);
              rows.add(table + Keys.text(key) + Arrays.toString(value));
              return true;
            });
      }
    }
    return rows;
  }
}
