package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.verify;

import io.fencepost.streams.Job;
import io.fencepost.streams.RestoreProgress;
import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.store.ChangeBatch;
import io.fencepost.streams.store.MemoryTable;
import io.fencepost.streams.store.RestorePoint;
import io.fencepost.streams.store.StoreOpener;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TaskId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.Serdes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;

class RestorationTest {
  private final Changelogs changelogs = new Changelogs();
  private final Map<Integer, MemoryTable> tables = new LinkedHashMap<>();
  private final TaskPlan plan = plan();
  private final Restoration restoration =
      new Restoration(changelogs, new CyclePropertyTest.Silence());

  @Test
  void a_task_that_runs_is_not_written_by_the_reader_while_others_restore() {
    changelogs.write(0, "k", "old");
    changelogs.write(1, "k", "1");
    changelogs.write(1, "l", "2");
    Task first = task(0);
    Task second = task(1);
    restoration.begin(List.of(first, second), 0);
    restoration.step(List.of(first, second), 0, 0);
    assertThat(first.phase()).isEqualTo(TaskPhase.RUNNING);
    assertThat(second.phase()).isEqualTo(TaskPhase.RESTORING);
    changelogs.write(0, "k", "stale by now");
    restoration.step(List.of(second), 0, 0);
    assertThat(second.phase()).isEqualTo(TaskPhase.RUNNING);
    assertThat(value(0, "k")).isEqualTo("old");
    assertThat(value(1, "l")).isEqualTo("2");
  }

  @Test
  void a_task_that_restores_goes_on_where_the_cluster_did_not_answer_for_the_next() {
    changelogs.write(0, "k", "1");
    changelogs.write(0, "k", "2");
    Task first = task(0);
    restoration.begin(List.of(first), 0);
    changelogs.isAway = true;
    Task second = task(1);
    assertThatThrownBy(() -> restoration.begin(List.of(first, second), 0))
        .isInstanceOf(TimeoutException.class);
    restoration.step(List.of(first), 0, 0);
    restoration.step(List.of(first), 0, 0);
    assertThat(first.phase()).isEqualTo(TaskPhase.RUNNING);
    assertThat(value(0, "k")).isEqualTo("2");
  }

  @Test
  void progress_tells_where_each_store_began_is_and_ends() {
    for (int i = 0; i < 4; i++) {
      changelogs.write(0, "k" + i, "v");
    }
    Task task = task(0);
    restoration.begin(List.of(task), 1_000);
    assertThat(restoration.progress())
        .containsExactly(new RestoreProgress("in-0", 0, "s", 0, 0, 4, 0, 0));
    restoration.step(List.of(task), 0, 1_500);
    restoration.step(List.of(task), 0, 3_000);
    assertThat(restoration.progress())
        .containsExactly(new RestoreProgress("in-0", 0, "s", 0, 2, 4, 2, 1));
    Task second = task(1);
    restoration.begin(List.of(task, second), 3_000);
    assertThat(restoration.progress())
        .as("goes on counting when others join in")
        .containsExactly(new RestoreProgress("in-0", 0, "s", 0, 2, 4, 2, 1));
    restoration.step(List.of(task), 0, 4_000);
    restoration.step(List.of(task), 0, 5_000);
    assertThat(restoration.progress()).isEmpty();
    assertThat(restoration.restored()).isEqualTo(4);
  }

  @Test
  void a_store_that_contradicts_its_changelog_is_emptied_and_read_from_the_start() {
    changelogs.write(0, "k", "1");
    changelogs.write(0, "l", "2");
    Task task = task(0);
    ChangeBatch foreign = new ChangeBatch();
    foreign.add(0, bytes("old"), bytes("x"));
    foreign.moveTo(0, new RestorePoint(7, 0));
    tables.get(0).apply(foreign);
    List<String> warnings = new ArrayList<>();
    Restoration told = new Restoration(changelogs, journal(warnings));
    told.begin(List.of(task), 0);
    told.step(List.of(task), 0, 0);
    told.step(List.of(task), 0, 0);
    assertThat(task.phase()).isEqualTo(TaskPhase.RUNNING);
    assertThat(value(0, "old")).isNull();
    assertThat(value(0, "l")).isEqualTo("2");
    assertThat(warnings)
        .singleElement()
        .asString()
        .contains("in-0", "offset 7 of j-s-changelog-0", "offsets 0 to 2");
  }

  @Test
  void a_store_that_lacks_nothing_but_a_marker_to_come_runs_without_a_read() {
    changelogs.write(0, "k", "1");
    changelogs.write(0, "l", "2");
    for (int position : new int[] {2, 3}) {
      Task task = task(0);
      ChangeBatch own = new ChangeBatch();
      own.add(0, bytes("own"), bytes("x"));
      own.moveTo(0, new RestorePoint(position, 0));
      tables.get(0).apply(own);
      restoration.begin(List.of(task), 0);
      assertThat(task.phase()).isEqualTo(TaskPhase.RUNNING);
      assertThat(changelogs.positions).isEmpty();
      assertThat(value(0, "own")).isEqualTo("x");
    }
  }

  @Test
  void others_may_read_the_tables_of_a_task_while_it_runs_and_at_no_other_time() {
    changelogs.write(0, "k", "1");
    Task task = new Task(new TaskId("in", 0), plan, Lanes.NONE);
    MemoryTable table = spy(new MemoryTable(1));
    task.open(table);
    restoration.begin(List.of(task), 0);
    verify(table, never()).show();
    restoration.step(List.of(task), 0, 0);
    assertThat(task.phase()).isEqualTo(TaskPhase.RUNNING);
    InOrder order = inOrder(table);
    order.verify(table).apply(any());
    order.verify(table).show();
    task.moveTo(TaskPhase.OPENING);
    order.verify(table).hide();
  }

  @Test
  void a_store_that_may_have_missed_deletions_is_rebuilt_unless_nothing_was_written_since() {
    changelogs.write(0, "k", "1");
    changelogs.write(0, "l", "2");
    changelogs.write(0, "m", "3");
    for (int position : new int[] {1, 2}) {
      Task task = new Task(new TaskId("in", 0), plan, Lanes.NONE);
      MemoryTable table = spy(new MemoryTable(1));
      ChangeBatch old = new ChangeBatch();
      old.add(0, bytes("deleted long ago"), bytes("x"));
      old.moveTo(0, new RestorePoint(position, 0));
      table.apply(old);
      doAnswer(
              call -> {
                table.clear(0, "it is stale");
                return true;
              })
          .when(table)
          .clearIfStale(0);
      task.open(table);
      restoration.begin(List.of(task), 0);
      boolean mayMiss = position == 1;
      assertThat(table.get(0, bytes("deleted long ago")) == null).isEqualTo(mayMiss);
      assertThat(restoration.progress())
          .singleElement()
          .satisfies(way -> assertThat(way.from()).isEqualTo(mayMiss ? 0 : 2));
      restoration.forget(task);
    }
  }

  private static Journal journal(List<String> warnings) {
    return new Journal() {
      @Override
      public void note(String fact) {}

      @Override
      public void warn(String fact, @Nullable Throwable cause) {
        warnings.add(fact);
      }
    };
  }

  private @Nullable String value(int partition, String key) {
    byte[] value = tables.get(partition).get(0, bytes(key));
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }

  private Task task(int partition) {
    Task task = new Task(new TaskId("in", partition), plan, Lanes.NONE);
    task.open(new MemoryOpener().open(task.id()));
    return task;
  }

  private static TaskPlan plan() {
    Job job = Job.named("j");
    StoreSpec<String, String> store = StoreSpec.keyed("s", Serdes.String(), Serdes.String());
    job.from("in", Serdes.String(), Serdes.String()).process(store, (in, state, out) -> {});
    return new JobPlan(job, "j", 1 << 20).parts().get(0);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private final class MemoryOpener implements StoreOpener {
    @Override
    public StoreTable open(TaskId task) {
      return tables.computeIfAbsent(task.partition(), unused -> new MemoryTable(1));
    }
  }

  /** Committed records only; each read takes one of each changelog. */
  private final class Changelogs implements ChangelogReader {
    private final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> logs =
        new LinkedHashMap<>();
    private final Map<TopicPartition, Long> positions = new LinkedHashMap<>();
    private boolean isAway;

    void write(int partition, String key, String value) {
      TopicPartition changelog = plan.changelog(0, partition);
      List<ConsumerRecord<byte[], byte[]>> log =
          logs.computeIfAbsent(changelog, unused -> new ArrayList<>());
      log.add(
          new ConsumerRecord<>(changelog.topic(), partition, log.size(), bytes(key), bytes(value)));
    }

    @Override
    public Map<TopicPartition, Long> startOffsets(Collection<TopicPartition> partitions) {
      return new LinkedHashMap<>();
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
      if (isAway) {
        throw new TimeoutException("no answer");
      }
      Map<TopicPartition, Long> ends = new LinkedHashMap<>();
      partitions.forEach(
          partition -> ends.put(partition, (long) logs.getOrDefault(partition, List.of()).size()));
      return ends;
    }

    @Override
    public void assign(Map<TopicPartition, Long> fromOffsets) {
      positions.clear();
      positions.putAll(fromOffsets);
    }

    @Override
    public List<Gateway.Batch> poll(long timeoutMs) {
      List<Gateway.Batch> batches = new ArrayList<>();
      positions.replaceAll(
          (changelog, from) -> {
            List<ConsumerRecord<byte[], byte[]>> log = logs.getOrDefault(changelog, List.of());
            int to = Math.min(log.size(), from.intValue() + 1);
            if (from < to) {
              batches.add(new Gateway.Batch(changelog, log.subList(from.intValue(), to)));
            }
            return (long) to;
          });
      return batches;
    }

    @Override
    public long position(TopicPartition partition) {
      return positions.get(partition);
    }

    @Override
    public void close() {}
  }
}
