package io.fencepost.streams.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.rocks.RocksMemory;
import io.fencepost.streams.rocks.TaskStores;
import io.fencepost.streams.store.ChangelogTopic;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TaskId;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EarlyStoresTest {
  private static final TaskId FIRST = new TaskId("in", 0);
  private static final TaskId SECOND = new TaskId("in", 1);

  @TempDir Path directory;
  private final RocksMemory memory = new RocksMemory(8 << 20);

  @AfterEach
  void freeMemory() {
    memory.close();
  }

  private TaskStores stores() {
    StoreSpec<String, String> seen = StoreSpec.keyed("seen", Serdes.String(), Serdes.String());
    ChangelogTopic changelog = new ChangelogTopic("c", "id", ChangelogTopic.FOR_EVER);
    TaskStores.Part part = new TaskStores.Part(List.of(seen), Map.of("seen", changelog));
    return new TaskStores(directory, Map.of("in", part), memory);
  }

  private static EarlyStores opened(TaskStores stores, Supplier<Collection<TaskId>> expected) {
    EarlyStores early = new EarlyStores(stores, stores, expected);
    early.openAll();
    return early;
  }

  @Test
  void who_asks_gets_what_is_open_already_and_what_was_not_expected_too() {
    TaskStores stores = stores();
    EarlyStores early = opened(stores, () -> List.of(FIRST));
    StoreTable open = stores.opened(FIRST);
    assertThat(open).isNotNull();
    assertThat(early.open(FIRST)).isSameAs(open);
    assertThat(early.open(FIRST)).as("held").isNull();
    assertThat(stores.opened(SECOND)).isNull();
    try (StoreTable second = early.open(SECOND)) {
      assertThat(second).isNotNull();
    }
    open.close();
  }

  @Test
  void what_nobody_asks_for_is_closed_with_the_job() {
    TaskStores stores = stores();
    EarlyStores early = new EarlyStores(stores, stores, () -> List.of(FIRST, SECOND));
    early.start();
    assertThat(early.close()).isTrue();
    for (TaskId task : List.of(FIRST, SECOND)) {
      assertThat(stores.opened(task)).isNull();
      try (StoreTable free = stores.open(task)) {
        assertThat(free).isNotNull();
      }
    }
  }

  @Test
  void what_another_instance_waits_for_is_given_up() {
    EarlyStores early = opened(stores(), () -> List.of(FIRST, SECOND));
    TaskStores other = stores();
    assertThat(other.open(FIRST)).as("held").isNull();
    early.giveUpWanted();
    try (StoreTable free = other.open(FIRST)) {
      assertThat(free).isNotNull();
    }
    try (StoreTable kept = early.open(SECOND)) {
      assertThat(kept).isNotNull();
    }
  }

  @Test
  void a_group_that_does_not_answer_costs_only_the_time() {
    EarlyStores early =
        opened(
            stores(),
            () -> {
              throw new TimeoutException("no answer");
            });
    try (StoreTable open = early.open(FIRST)) {
      assertThat(open).isNotNull();
    }
  }

  @Test
  void what_someone_else_holds_is_asked_for_again() {
    TaskStores other = stores();
    StoreTable held = other.open(FIRST);
    assertThat(held).isNotNull();
    EarlyStores early = opened(stores(), () -> List.of(FIRST));
    assertThat(early.open(FIRST)).isNull();
    held.close();
    try (StoreTable open = early.open(FIRST)) {
      assertThat(open).isNotNull();
    }
  }

  @Test
  void what_a_worker_was_waiting_for_when_it_was_interrupted_is_closed_too() throws Exception {
    TaskStores stores = mock(TaskStores.class);
    StoreTable tables = mock(StoreTable.class);
    CountDownLatch isOpening = new CountDownLatch(1);
    CountDownLatch mayOpen = new CountDownLatch(1);
    when(stores.openIfFree(FIRST))
        .thenAnswer(
            call -> {
              isOpening.countDown();
              mayOpen.await();
              return tables;
            });
    EarlyStores early = new EarlyStores(stores, stores, () -> List.of(FIRST));
    early.start();
    isOpening.await();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> early.open(FIRST)).isInstanceOf(InterruptException.class);
    assertThat(Thread.interrupted()).isTrue();
    mayOpen.countDown();
    assertThat(early.close()).isTrue();
    verify(tables).close();
  }
}
