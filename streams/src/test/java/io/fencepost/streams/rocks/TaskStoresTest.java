package io.fencepost.streams.rocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.store.ChangeBatch;
import io.fencepost.streams.store.ChangelogTopic;
import io.fencepost.streams.store.RestorePoint;
import io.fencepost.streams.store.StoreFailure;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TableSize;
import io.fencepost.streams.store.TaskId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.Serdes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TaskStoresTest {
  private static final TaskId TASK = new TaskId("in", 0);

  private static final long RETENTION_MS = 86_400_000;

  @TempDir Path directory;
  private final RocksMemory memory = new RocksMemory(8 << 20);
  private long nowMs = 1_700_000_000_000L;

  @AfterEach
  void freeMemory() {
    memory.close();
  }

  @Test
  void data_and_changelog_position_move_together_and_survive() {
    try (StoreTable table = opened(stores("1"))) {
      ChangeBatch batch = new ChangeBatch();
      batch.add(0, bytes("a"), bytes("1"));
      batch.add(0, bytes("b"), bytes("2"));
      batch.add(0, bytes("c"), bytes("3"));
      batch.add(0, bytes("b"), null);
      batch.moveTo(0, new RestorePoint(42, 7));
      table.apply(batch);
    }
    try (StoreTable table = opened(stores("1"))) {
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
    try (StoreTable table = opened(stores("1"))) {
      assertThat(stores("1").open(TASK)).isNull();
      assertThat(table.get(0, bytes("a"))).isNull();
    }
    opened(stores("1")).close();
  }

  @Test
  void state_whose_changelog_was_created_anew_is_left_alone_and_the_way_out_is_said() {
    write();
    for (int tried = 0; tried < 2; tried++) {
      assertThatThrownBy(() -> opened(stores("2")))
          .isInstanceOf(StoreFailure.class)
          .hasMessageContaining("changelog topic j-s-changelog with id 1")
          .hasMessageContaining("now has id 2")
          .hasMessageContaining("delete that directory");
    }
    try (StoreTable table = opened(stores("1"))) {
      assertThat(table.get(0, bytes("a"))).isEqualTo(bytes("1"));
    }
  }

  @Test
  void a_directory_that_cannot_be_written_is_refused_with_what_is_wrong_and_the_lock_is_free()
      throws IOException {
    Path inTheWay = Files.writeString(directory.resolve("in-0"), "a file");
    assertThatThrownBy(() -> opened(stores("1")))
        .isInstanceOf(StoreFailure.class)
        .hasMessageContaining(inTheWay.toString())
        .hasMessageContaining("FileAlreadyExistsException")
        .hasMessageContaining("state.dir");
    Files.delete(inTheWay);
    opened(stores("1")).close();
  }

  @Test
  void an_empty_store_takes_whatever_changelog_there_is() {
    opened(stores("1")).close();
    opened(stores("2")).close();
    write("2");
  }

  @Test
  void state_of_an_operator_that_became_another_one_is_not_read_as_its_own() {
    TaskStores windows = stores(List.of(StoreSpec.timed("s", "windows")), Map.of("s", "1"));
    opened(windows).close();
    write();
    assertThatThrownBy(() -> opened(windows))
        .isInstanceOf(StoreFailure.class)
        .hasMessageContaining("store s in " + directory.resolve("in-0"))
        .hasMessageContaining("holds keys, and the job keeps windows")
        .hasMessageContaining("j-s-changelog");
    opened(stores("1")).close();
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
    try (StoreTable table = opened(stores("1"))) {
      assertThat(table.restorePoint(0)).isEqualTo(RestorePoint.EMPTY);
    }
    assertThat(setAside()).hasSize(1);
  }

  @Test
  void stores_are_found_by_their_names_and_a_new_one_starts_empty() {
    StoreSpec<String, String> first = StoreSpec.keyed("first", Serdes.String(), Serdes.String());
    StoreSpec<String, String> second = StoreSpec.keyed("second", Serdes.String(), Serdes.String());
    StoreSpec<String, String> third = StoreSpec.keyed("third", Serdes.String(), Serdes.String());
    try (StoreTable table =
        opened(stores(List.of(first, second), Map.of("first", "1", "second", "2")))) {
      fill(table, 0, 1);
    }
    Map<String, String> after = Map.of("first", "1", "second", "2", "third", "3");
    try (StoreTable table = opened(stores(List.of(third, first, second), after))) {
      assertThat(text(table, 1)).as("first, under its new number").isEqualTo("in table 0");
      assertThat(table.restorePoint(1)).isEqualTo(new RestorePoint(100, 7));
      assertThat(text(table, 2)).isEqualTo("in table 1");
      assertThat(table.get(0, bytes("a"))).isNull();
      assertThat(table.restorePoint(0)).isEqualTo(RestorePoint.EMPTY);
    }
    try (StoreTable table = opened(stores(List.of(first), Map.of("first", "1")))) {
      assertThat(text(table, 0)).isEqualTo("in table 0");
    }
  }

  @Test
  void a_table_that_contradicts_its_changelog_is_cleared_for_good_and_can_be_filled_again()
      throws IOException {
    StoreSpec<String, String> first = StoreSpec.keyed("first", Serdes.String(), Serdes.String());
    StoreSpec<String, String> second = StoreSpec.keyed("second", Serdes.String(), Serdes.String());
    TaskStores stores = stores(List.of(first, second), Map.of("first", "1", "second", "2"));
    try (StoreTable table = opened(stores)) {
      fill(table, 0, 1);
      table.clear(0, "a test says so");
      assertThat(table.restorePoint(0)).isEqualTo(RestorePoint.EMPTY);
    }
    assertThat(setAside()).singleElement().asString().contains("in-0.aside-first-");
    try (StoreTable table = opened(stores)) {
      assertThat(table.get(0, bytes("a"))).isNull();
      assertThat(text(table, 1)).isEqualTo("in table 1");
      fill(table, 0);
    }
    try (StoreTable table = opened(stores)) {
      assertThat(text(table, 0)).isEqualTo("in table 0");
    }
  }

  @Test
  void each_store_lives_where_its_spec_says() {
    StoreSpec<String, String> kept = StoreSpec.keyed("kept", Serdes.String(), Serdes.String());
    StoreSpec<String, String> light =
        StoreSpec.keyed("light", Serdes.String(), Serdes.String()).inMemory();
    TaskStores stores = stores(List.of(light, kept), Map.of("light", "1", "kept", "2"));
    try (StoreTable table = opened(stores)) {
      fill(table, 0, 1);
      assertThat(text(table, 0)).isEqualTo("in table 0");
      assertThat(table.getAll(1, List.of(bytes("a")))).containsExactly(bytes("in table 1"));
      assertThat(table.size(0)).isEqualTo(new TableSize(1, 11));
      assertThat(table.size(1).keys()).isEqualTo(1);
      assertThat(table.size(1).bytes()).isPositive();
      table.clear(0, "a test says so");
      assertThat(table.get(0, bytes("a"))).isNull();
      assertThat(table.size(0)).isEqualTo(new TableSize(0, 0));
      fill(table, 0);
    }
    try (StoreTable table = opened(stores)) {
      assertThat(table.get(0, bytes("a"))).isNull();
      assertThat(table.restorePoint(0)).isEqualTo(RestorePoint.EMPTY);
      assertThat(text(table, 1)).isEqualTo("in table 1");
      assertThat(table.restorePoint(1)).isEqualTo(new RestorePoint(101, 7));
    }
  }

  @Test
  void a_table_is_read_by_others_beside_its_worker_and_never_after_its_end() {
    TaskStores stores = stores("1");
    SharedTable shared;
    try (StoreTable table = opened(stores)) {
      fill(table, 0);
      shared = stores.opened(TASK);
      assertThat(shared).isNotNull();
      assertThat(shared.<String>read(view -> text(view, 0))).as("before it is shown").isNull();
      table.show();
      assertThat(shared.<String>read(view -> text(view, 0))).isEqualTo("in table 0");
    }
    assertThat(shared.<String>read(view -> text(view, 0))).isNull();
    assertThat(stores.opened(TASK)).isNull();
  }

  @Test
  void a_store_that_may_have_missed_deletions_is_emptied_and_one_that_may_not_is_kept()
      throws IOException {
    write();
    nowMs += RETENTION_MS;
    try (StoreTable table = opened(stores("1"))) {
      assertThat(table.clearIfStale(0)).as("just in time").isFalse();
    }
    nowMs += 1;
    try (StoreTable table = opened(stores("1"))) {
      assertThat(table.clearIfStale(0)).as("opened, but never complete since").isTrue();
      assertThat(table.get(0, bytes("a"))).isNull();
      assertThat(table.restorePoint(0)).isEqualTo(RestorePoint.EMPTY);
      assertThat(table.clearIfStale(0)).isFalse();
    }
    assertThat(setAside()).isEmpty();
  }

  @Test
  void a_store_is_complete_with_each_commit_of_its_task_and_when_a_copy_of_it_has_caught_up() {
    write();
    nowMs += RETENTION_MS;
    try (StoreTable table = opened(stores("1"))) {
      table.show();
      nowMs += RETENTION_MS;
      fill(table, 0);
    }
    nowMs += RETENTION_MS;
    try (StoreTable table = opened(stores("1"))) {
      assertThat(table.clearIfStale(0)).isFalse();
      fill(table, 0); // more of the changelog, but maybe not all
    }
    nowMs += 1;
    try (StoreTable copy = opened(stores("1"))) {
      copy.noteComplete(0);
    }
    nowMs += RETENTION_MS;
    try (StoreTable table = opened(stores("1"))) {
      assertThat(table.clearIfStale(0)).isFalse();
      nowMs += 1;
      assertThat(table.clearIfStale(0)).isTrue();
    }
  }

  private static void fill(StoreTable table, int... numbers) {
    ChangeBatch batch = new ChangeBatch();
    for (int number : numbers) {
      batch.add(number, bytes("a"), bytes("in table " + number));
      batch.moveTo(number, new RestorePoint(100 + number, 7));
    }
    table.apply(batch);
  }

  private static @Nullable String text(StoreTable table, int number) {
    byte[] value = table.get(number, bytes("a"));
    return value == null ? null : text(value);
  }

  private void write() {
    write("1");
  }

  private void write(String identity) {
    try (StoreTable table = opened(stores(identity))) {
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
    return stores(List.of(spec), Map.of("s", identity));
  }

  private TaskStores stores(List<StoreSpec<?, ?>> specs, Map<String, String> identities) {
    Map<String, ChangelogTopic> changelogs = new TreeMap<>();
    identities.forEach(
        (store, id) ->
            changelogs.put(
                store, new ChangelogTopic("j-" + store + "-changelog", id, RETENTION_MS)));
    return new TaskStores(
        directory,
        Map.of("in", new TaskStores.Part(specs, changelogs)),
        memory,
        () -> Instant.ofEpochMilli(nowMs));
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
