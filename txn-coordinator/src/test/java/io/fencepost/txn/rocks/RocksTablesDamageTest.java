package io.fencepost.txn.rocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.disk.FileDisk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.txn.table.Table;
import io.fencepost.txn.table.WriteSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damaged rows are noticed, said, and given up at the next start: the log has all of them. */
class RocksTablesDamageTest {
  @Test
  void rows_that_cannot_be_read_are_given_up_at_the_next_start(@TempDir Path dir)
      throws IOException {
    byte[] key = {1, 2, 3};
    try (RocksTables tables = RocksTables.open(new FileDisk(dir))) {
      WriteSet rows = new WriteSet();
      rows.put(Table.APPLIED, key, ByteBuffer.allocate(64).array());
      tables.write(rows);
    }
    for (Path file : tableFiles(dir)) {
      byte[] bytes = Files.readAllBytes(file);
      Arrays.fill(bytes, 0, 40, (byte) 0x55);
      Files.write(file, bytes);
    }
    try (RocksTables damaged = RocksTables.open(new FileDisk(dir))) {
      assertThatThrownBy(() -> damaged.get(Table.APPLIED, key))
          .isInstanceOf(DiskException.class)
          .hasMessageContaining("restart the broker");
    }
    try (RocksTables fresh = RocksTables.open(new FileDisk(dir))) {
      assertThat(fresh.get(Table.APPLIED, key)).isNull();
    }
    assertThat(dir.resolve("coordinator-state.unreadable-1")).isDirectory();
    assertThat(dir.resolve("coordinator-state.damaged")).doesNotExist();
  }

  private static List<Path> tableFiles(Path dir) throws IOException {
    try (Stream<Path> found = Files.walk(dir)) {
      return found.filter(path -> path.toString().endsWith(".sst")).toList();
    }
  }
}
