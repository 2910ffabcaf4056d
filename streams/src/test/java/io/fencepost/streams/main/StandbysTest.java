package io.fencepost.streams.main;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.Job;
import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.client.GroupView;
import io.fencepost.streams.rocks.RocksMemory;
import io.fencepost.streams.rocks.TaskStores;
import io.fencepost.streams.store.ChangelogTopic;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TaskId;
import io.fencepost.streams.task.ChangelogReader;
import io.fencepost.streams.task.Gateway;
import io.fencepost.streams.task.JobPlan;
import io.fencepost.streams.task.TaskPlan;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The thread's steps are taken by hand. */
class StandbysTest {
  private static final StoreSpec<String, String> STORE =
      StoreSpec.keyed("s", Serdes.String(), Serdes.String());
  private static final TopicPartition CHANGELOG = new TopicPartition("j-s-changelog", 0);

  @TempDir Path directory;
  private final RocksMemory memory = new RocksMemory(8 << 20);
  private final Changelog changelog = new Changelog();

  @AfterEach
  void freeMemory() {
    memory.close();
  }

  @Test
  void a_task_of_a_pattern_s_topics_is_copied_where_another_instance_works_on_it() {
    Job job = Job.named("j");
    job.from(Pattern.compile("orders-.*"), Serdes.String(), Serdes.String())
        .process(STORE, (in, state, out) -> {});
    JobPlan plan = new JobPlan(job, "j", 1 << 20);
    TaskPlan part = plan.parts().get(0);
    TaskId task = new TaskId(part.name(), 0);
    Standbys standbys =
        standbys(
            plan,
            Groups.admin(
                Map.of(
                    "j-other-0", Set.of(new TopicPartition("orders-eu", 0)), "j-me-0", Set.of())));
    changelog.write("k", "1");
    changelog.write("l", "2");
    for (int i = 0; i < 3; i++) {
      standbys.step(Worker.nowMs());
    }
    assertThat(standbys.progress())
        .singleElement()
        .satisfies(progress -> assertThat(progress.position()).isEqualTo(2));
    try (StoreTable taken = standbys.open(task)) {
      assertThat(taken).isNotNull();
      assertThat(taken.restorePoint(0).position()).isEqualTo(2);
      assertThat(taken.get(0, bytes("l"))).isEqualTo(bytes("2"));
    }
  }

  private Standbys standbys(JobPlan plan, Admin admin) {
    TaskPlan part = plan.parts().get(0);
    TaskStores stores =
        new TaskStores(
            directory,
            Map.of(
                part.name(),
                new TaskStores.Part(
                    part.stores(), Map.of("s", new ChangelogTopic("j-s-changelog", "1", 1_000)))),
            memory);
    return new Standbys(
        new Standbys.Cluster(
            "j-me",
            "me",
            plan,
            new GroupView(admin, "j"),
            Map.of(new TaskId(part.name(), 0), part),
            1),
        stores,
        changelog);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** One partition of committed records; each read takes all. */
  private static final class Changelog implements ChangelogReader {
    private final List<ConsumerRecord<byte[], byte[]>> log = new ArrayList<>();
    private long position = -1;

    void write(String key, String value) {
      log.add(new ConsumerRecord<>(CHANGELOG.topic(), 0, log.size(), bytes(key), bytes(value)));
    }

    @Override
    public Map<TopicPartition, Long> startOffsets(Collection<TopicPartition> partitions) {
      return Map.of();
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
      Map<TopicPartition, Long> ends = new HashMap<>();
      partitions.forEach(partition -> ends.put(partition, (long) log.size()));
      return ends;
    }

    @Override
    public void assign(Map<TopicPartition, Long> fromOffsets) {
      position = fromOffsets.getOrDefault(CHANGELOG, -1L);
    }

    @Override
    public List<Gateway.Batch> poll(long timeoutMs) {
      if (position < 0 || position == log.size()) {
        return List.of();
      }
      List<ConsumerRecord<byte[], byte[]>> read =
          List.copyOf(log.subList((int) position, log.size()));
      position = log.size();
      return List.of(new Gateway.Batch(CHANGELOG, read));
    }

    @Override
    public long position(TopicPartition partition) {
      return position;
    }

    @Override
    public void close() {}
  }
}
