package io.fencepost.streams.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.Job;
import io.fencepost.streams.RestoreProgress;
import io.fencepost.streams.StoreNotHereException;
import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.StoreView;
import io.fencepost.streams.client.GroupView;
import io.fencepost.streams.rocks.RocksMemory;
import io.fencepost.streams.rocks.TaskStores;
import io.fencepost.streams.store.ChangeBatch;
import io.fencepost.streams.store.ChangelogTopic;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TaskId;
import io.fencepost.streams.task.JobPlan;
import io.fencepost.streams.task.TaskPlan;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobStoresTest {
  private static final StoreSpec<String, String> STORE =
      StoreSpec.keyed("s", Serdes.String(), Serdes.String());

  @TempDir Path directory;
  private final RocksMemory memory = new RocksMemory(8 << 20);
  private final List<RestoreProgress> restoring = new ArrayList<>();

  @AfterEach
  void freeMemory() {
    memory.close();
  }

  @Test
  void a_view_answers_from_a_table_that_its_worker_shows_and_from_no_other() {
    JobPlan plan = plan();
    TaskStores stores = stores(plan);
    TaskId task = new TaskId("in", 0);
    JobStores read = jobStores(plan, stores, "j-me-0", new TopicPartition("in", 0));
    StoreView<String, String> view = read.view("s", Serdes.String(), Serdes.String());
    assertThatThrownBy(() -> view.get("k")).hasMessageContaining("taken over or given up");
    try (StoreTable table = open(stores, task)) {
      put(table, "k", "half restored");
      restoring.add(new RestoreProgress("in-0", 0, "s", 0, 3, 9, 3, 0));
      assertThatThrownBy(() -> view.get("k"))
          .isInstanceOf(StoreNotHereException.class)
          .hasMessageContaining("being restored: store s of task in-0: from 0, at 3, end 9");
      assertThatThrownBy(() -> view.in(0).all().count()).isInstanceOf(StoreNotHereException.class);
      assertThat(view.partitionsHere()).isEmpty();
      assertThat(view.all()).isEmpty();
      assertThat(read.sizes()).isEmpty();
      restoring.clear();
      put(table, "k", "restored");
      table.show();
      assertThat(view.get("k")).isEqualTo("restored");
      assertThat(view.partitionsHere()).containsExactly(0);
      assertThat(view.ownerOf("k").isHere()).isTrue();
      table.hide();
      assertThatThrownBy(() -> view.get("k")).isInstanceOf(StoreNotHereException.class);
      table.show();
    }
    assertThatThrownBy(() -> view.get("k")).isInstanceOf(StoreNotHereException.class);
    assertThat(view.partitionsHere()).isEmpty();
  }

  @Test
  void a_standby_copy_is_not_read_and_its_owner_is_told() {
    JobPlan plan = plan();
    TaskStores stores = stores(plan);
    StoreView<String, String> view =
        jobStores(plan, stores, "j-other-0@there:2", new TopicPartition("in", 0))
            .view("s", Serdes.String(), Serdes.String());
    try (StoreTable copy = open(stores, new TaskId("in", 0))) {
      put(copy, "k", "behind");
      assertThatThrownBy(() -> view.get("k"))
          .isInstanceOf(StoreNotHereException.class)
          .hasMessageContaining("on instance other at there:2");
    }
  }

  @Test
  void the_owner_of_a_partition_is_found_by_the_topics_of_a_pattern_too() {
    Job job = Job.named("j");
    job.from(Pattern.compile("orders-.*"), Serdes.String(), Serdes.String())
        .process(STORE, (in, state, out) -> {});
    JobPlan plan = new JobPlan(job, "j", 1 << 20);
    StoreView<String, String> view =
        jobStores(plan, stores(plan), "j-other-0@there:2", new TopicPartition("orders-eu", 0))
            .view("s", Serdes.String(), Serdes.String());
    assertThat(view.ownerOf("k").address()).isEqualTo("there:2");
  }

  private static StoreTable open(TaskStores stores, TaskId task) {
    StoreTable table = stores.openIfFree(task);
    assertThat(table).isNotNull();
    return table;
  }

  private static void put(StoreTable table, String key, String value) {
    ChangeBatch batch = new ChangeBatch();
    batch.add(0, bytes(key), bytes(value));
    table.apply(batch);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static JobPlan plan() {
    Job job = Job.named("j");
    job.from("in", Serdes.String(), Serdes.String()).process(STORE, (in, state, out) -> {});
    return new JobPlan(job, "j", 1 << 20);
  }

  private TaskStores stores(JobPlan plan) {
    TaskPlan part = plan.parts().get(0);
    return new TaskStores(
        directory,
        Map.of(
            part.name(),
            new TaskStores.Part(
                part.stores(), Map.of("s", new ChangelogTopic("j-s-changelog", "1", 1_000)))),
        memory);
  }

  private JobStores jobStores(
      JobPlan plan, TaskStores stores, String clientId, TopicPartition owned) {
    return new JobStores(
        plan,
        Map.of(plan.parts().get(0).name(), 1),
        stores,
        new GroupView(Groups.admin(clientId, owned), "j"),
        "me",
        () -> restoring);
  }
}
