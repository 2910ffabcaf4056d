package io.fencepost.streams.rocks;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.store.ChangeBatch;
import io.fencepost.streams.store.RestorePoint;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TaskId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.Serdes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TaskStoresTest {
  private static final TaskId TASK = new TaskId("in", 0);

  @TempDir Path directory;
  private final RocksMemory memory = new RocksMemory(8 << 20);

  @AfterEach
  void freeMemory() {
    memory.close();
  }

  @Test
  void data_and_changelog_position_move_together_and_survive() {
    try (StoreTable table = opened(stores("topic=1"))) {
      ChangeBatch batch = new ChangeBatch();
      batch.add(0, bytes("a"), bytes("1"));
      batch.add(0, bytes("b"), bytes("2"));
      batch.add(0, bytes("c"), bytes("3"));
      batch.add(0, bytes("b"), null);
      batch.moveTo(0, new RestorePoint(42, 7));
      table.apply(batch);
    }
    try (StoreTable table = opened(stores("topic=1"))) {
      assertThat(table.restorePoint(0)).isEqualTo(new RestorePoint(42, 7));
      assertThat(table.get(0, bytes("a"))).isEqualTo(bytes("1"));
      assertThat(table.getAll(0, List.of(bytes("b"), bytes("c"))))
          .containsExactly(null, bytes("3"));
      assertThat(table.getAll(0, List.of())).as("a slice of poison input has no keys").isEmpty();
      List<String> keys = new ArrayList<>();
      table.scan(0, bytes("a "), null, (key, value) -> keys.add(text(key)));
      assertThat(keys).containsExactly("c");
    }
  }

  @Test
  void an_open_store_is_refused_to_others_until_it_is_closed() {
    try (StoreTable table = opened(stores("topic=1"))) {
      assertThat(stores("topic=1").open(TASK)).isNull();
      assertThat(table.get(0, bytes("a"))).isNull();
    }
    opened(stores("topic=1")).close();
  }

  @Test
  void state_of_a_changelog_that_was_created_anew_is_set_aside() throws IOException {
    write();
    try (StoreTable table = opened(stores("topic=2"))) {
      assertThat(table.get(0, bytes("a"))).isNull();
      assertThat(table.restorePoint(0)).isEqualTo(RestorePoint.EMPTY);
    }
    assertThat(setAside()).hasSize(1);
  }

  @Test
  void a_corrupt_store_is_set_aside_and_starts_empty() throws IOException {
    write();
    try (Stream<Path> files = Files.list(directory.resolve("in-0"))) {
      for (Path file : files.filter(file -> text(file).startsWith("MANIFEST")).toList()) {
        byte[] content = Files.readAllBytes(file);
        content[content.length / 2] ^= 0x55;
        Files.write(file, content);
      }
    }
    try (StoreTable table = opened(stores("topic=1"))) {
      assertThat(table.restorePoint(0)).isEqualTo(RestorePoint.EMPTY);
    }
    assertThat(setAside()).hasSize(1);
  }

  private void write() {
    try (StoreTable table = opened(stores("topic=1"))) {
      ChangeBatch batch = new ChangeBatch();
      batch.add(0, bytes("a"), bytes("1"));
      batch.moveTo(0, new RestorePoint(1, 1));
      table.apply(batch);
    }
  }

  private List<Path> setAside() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> text(file).contains(".aside-")).toList();
    }
  }

  private TaskStores stores(String identity) {
    StoreSpec<String, String> spec = StoreSpec.keyed("s", Serdes.String(), Serdes.String());
    return new TaskStores(
        directory, Map.of("in", new TaskStores.Part(List.of(spec), identity)), memory);
  }

  private static StoreTable opened(TaskStores stores) {
    @Nullable StoreTable table = stores.open(TASK);
    if (table == null) {
      throw new AssertionError("the store is locked");
    }
    return table;
  }

  private static String text(Path file) {
    return file.getFileName().toString();
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
