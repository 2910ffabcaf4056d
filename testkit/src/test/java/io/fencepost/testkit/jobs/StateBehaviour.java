package io.fencepost.testkit.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fencepost.streams.Emitter;
import io.fencepost.streams.Flow;
import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobEnd;
import io.fencepost.streams.JobHandle;
import io.fencepost.streams.JobState;
import io.fencepost.streams.Message;
import io.fencepost.streams.RestoreProgress;
import io.fencepost.streams.StopReason;
import io.fencepost.streams.Store;
import io.fencepost.streams.StoreNotHereException;
import io.fencepost.streams.StoreOwner;
import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.StoreView;
import io.fencepost.streams.main.JobMeters;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job's state on any broker: kept, restored, read by others, copied. */
abstract class StateBehaviour {
  private static final Duration SOON = Duration.ofSeconds(90);
  private static final StoreSpec<String, Long> COUNTS =
      StoreSpec.keyed("counts", Serdes.String(), Serdes.Long());
  private static final StoreSpec<String, String> LATEST =
      StoreSpec.keyed("latest", Serdes.String(), Serdes.String());

  @TempDir Path stateDir;
  @TempDir Path otherDir;

  abstract String bootstrapServers();

  @Test
  void a_new_store_leaves_the_others_as_they_are_and_one_without_its_changelog_ends_the_job()
      throws Exception {
    topics().create("ja-in");
    topics().send("ja-in", Topics.numbered(0, 300));
    try (JobHandle handle = counting("ja").start(config(stateDir))) {
      await().atMost(SOON).until(() -> handle.counts().records() == 300);
    }
    try (JobHandle handle = countingAndKeeping("ja", LATEST).start(config(stateDir))) {
      topics().send("ja-in", Topics.numbered(0, 300));
      await().atMost(SOON).until(() -> handle.counts().records() == 300);
      assertThat(handle.counts().restored()).isZero();
      assertThat(handle.store(COUNTS).get("key-7")).isEqualTo(2);
    }
    delete("ja-latest-changelog");
    try (JobHandle handle = countingAndKeeping("ja", LATEST).start(config(stateDir))) {
      JobEnd end = handle.await(SOON);
      assertThat(end).isNotNull();
      assertThat(end.detail()).contains("ja-latest-changelog", "deleted and made anew");
    }
    try (JobHandle handle = countingAndKeeping("ja", LATEST).start(config(otherDir))) {
      await().atMost(SOON).until(() -> runs(handle, 4));
      assertThat(handle.store(COUNTS).get("key-7")).isEqualTo(2);
      assertThat(handle.store(LATEST).get("key-7")).isNull();
    }
  }

  @Test
  void a_job_whose_changelog_is_deleted_under_it_ends_and_names_it() throws Exception {
    topics().create("jg-in");
    topics().send("jg-in", Topics.numbered(0, 300));
    try (JobHandle handle = counting("jg").start(config(stateDir))) {
      await().atMost(SOON).until(() -> handle.counts().records() == 300);
      delete("jg-counts-changelog");
      topics().send("jg-in", Topics.numbered(0, 300));
      JobEnd end = handle.await(SOON);
      assertThat(end).isNotNull();
      assertThat(end.reason()).isEqualTo(StopReason.REFUSED);
      assertThat(end.detail()).contains("changelog topic jg-counts-changelog was deleted");
    }
  }

  private void delete(String topic) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
      admin.deleteTopics(List.of(topic)).all().get();
      await().atMost(SOON).until(() -> !admin.listTopics().names().get().contains(topic));
    }
  }

  @Test
  void of_a_task_s_stores_those_in_memory_are_restored_and_those_on_disk_are_there()
      throws Exception {
    topics().create("jb-in");
    topics().send("jb-in", Topics.numbered(0, 200));
    Job job = countingAndKeeping("jb", LATEST.inMemory());
    try (JobHandle handle = job.start(config(stateDir))) {
      await().atMost(SOON).until(() -> handle.counts().records() == 200);
    }
    try (JobHandle handle = job.start(config(stateDir))) {
      await().atMost(SOON).until(() -> runs(handle, 4));
      assertThat(handle.counts().restored()).as("the store in memory").isEqualTo(200);
      assertThat(handle.store(LATEST).get("key-7")).isEqualTo("7");
      assertThat(handle.store(COUNTS).get("key-7")).isEqualTo(1);
    }
  }

  @Test
  void a_restore_that_is_stopped_goes_on_where_it_was() throws Exception {
    topics().create("jc-in");
    int keys = 10_000;
    topics().send("jc-in", Topics.numbered(0, keys));
    try (JobHandle handle = counting("jc").start(config(stateDir))) {
      await().atMost(SOON).until(() -> handle.counts().records() == keys);
    }
    long first;
    JobConfig slowly = config(otherDir).with("restore.consumer.max.poll.records", 1);
    try (JobHandle handle = counting("jc").start(slowly)) {
      await()
          .atMost(SOON)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(1))
          .until(() -> handle.counts().restored() > 20);
      assertThat(handle.stop(Duration.ofSeconds(10)).isClean()).isTrue();
      first = handle.counts().restored();
    }
    assertThat(first).as("stopped on the way").isBetween(1L, keys - 1L);
    try (JobHandle handle = counting("jc").start(config(otherDir))) {
      await().atMost(SOON).until(() -> runs(handle, 4));
      assertThat(first + handle.counts().restored()).isEqualTo(keys);
      assertThat(handle.store(COUNTS).all().count()).isEqualTo(keys);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void a_store_is_read_where_it_lives_and_elsewhere_one_is_told_where(String protocol)
      throws Exception {
    String name = "jd-" + protocol;
    topics().create(name + "-in");
    topics().send(name + "-in", Topics.numbered(0, 400));
    JobConfig here = config(stateDir, protocol).with("application.server", "here:1");
    JobConfig there = config(otherDir, protocol).with("application.server", "there:2");
    try (JobHandle first = counting(name).start(here);
        JobHandle second = counting(name).start(there)) {
      await().atMost(SOON).until(() -> runs(first, 2) && runs(second, 2));
      topics().send(name + "-in", Topics.numbered(0, 400));
      await().atMost(SOON).until(() -> sum(first) + sum(second) == 800);
      StoreView<String, Long> mine = first.store(COUNTS);
      StoreView<String, Long> others = second.store(COUNTS);
      assertThat(mine.partitionsHere())
          .hasSize(2)
          .doesNotContainAnyElementsOf(others.partitionsHere());
      Map<String, Long> all = new HashMap<>();
      mine.all().forEach(entry -> all.put(entry.getKey(), entry.getValue()));
      others.all().forEach(entry -> all.put(entry.getKey(), entry.getValue()));
      assertThat(all).hasSize(400).containsEntry("key-7", 2L);
      for (String key : List.of("key-1", "key-2", "key-3", "key-4", "key-5", "key-6")) {
        boolean isMine = mine.partitionsHere().contains(mine.partitionOf(key));
        StoreView<String, Long> home = isMine ? mine : others;
        StoreView<String, Long> away = isMine ? others : mine;
        assertThat(home.get(key)).isEqualTo(2);
        assertThat(home.ownerOf(key).isHere()).isTrue();
        await().atMost(SOON).until(() -> away.ownerOf(key).address() != null);
        StoreOwner owner = away.ownerOf(key);
        assertThat(owner.address()).isEqualTo(isMine ? "here:1" : "there:2");
        assertThat(owner.partition()).isEqualTo(mine.partitionOf(key));
        assertThatThrownBy(() -> away.get(key))
            .isInstanceOf(StoreNotHereException.class)
            .hasMessageContaining("partition " + owner.partition())
            .hasMessageContaining(isMine ? "here:1" : "there:2");
      }
      assertThat(first.ownerOf("counts", "key-1", Serdes.String()).partition())
          .isEqualTo(mine.partitionOf("key-1"));
      TreeMap<String, Long> range = range(mine, others, "key-1", "key-2");
      assertThat(range).hasSize(111).containsKey("key-199").doesNotContainKey("key-2");
      assertThatThrownBy(() -> first.store("cuonts", Serdes.String(), Serdes.Long()))
          .hasMessageContaining("no store cuonts")
          .hasMessageContaining("counts");
    }
  }

  private static TreeMap<String, Long> range(
      StoreView<String, Long> one, StoreView<String, Long> other, String from, String to) {
    TreeMap<String, Long> found = new TreeMap<>();
    one.range(from, to).forEach(entry -> found.put(entry.getKey(), entry.getValue()));
    other.range(from, to).forEach(entry -> found.put(entry.getKey(), entry.getValue()));
    return found;
  }

  private static long sum(JobHandle handle) {
    return handle.store(COUNTS).all().mapToLong(Map.Entry::getValue).sum();
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void who_keeps_a_standby_copy_takes_over_without_reading_the_whole_changelog(String protocol)
      throws Exception {
    String name = "je-" + protocol;
    topics().create(name + "-in");
    int keys = 3_000;
    topics().send(name + "-in", Topics.numbered(0, keys));
    JobConfig here = config(stateDir, protocol).with("num.standby.replicas", 1);
    JobConfig there = config(otherDir, protocol).with("num.standby.replicas", 1);
    try (JobHandle second = counting(name).start(there)) {
      try (JobHandle first = counting(name).start(here)) {
        await().atMost(SOON).until(() -> runs(first, 2) && runs(second, 2));
        topics().send(name + "-in", Topics.numbered(0, keys));
        await().atMost(SOON).until(() -> sum(first) + sum(second) == 2L * keys);
        await().atMost(SOON).until(() -> isUpToDate(first) && isUpToDate(second));
      }
      long restoredBefore = second.counts().restored();
      await().atMost(SOON).until(() -> runs(second, 4));
      assertThat(second.counts().restored() - restoredBefore)
          .as("restored after the other one's end; whole changelogs would be some thousand")
          .isLessThan(100);
      assertThat(sum(second)).isEqualTo(2L * keys);
      topics().send(name + "-in", Topics.numbered(0, keys));
      await().atMost(SOON).until(() -> sum(second) == 3L * keys);
      assertThat(second.health().state()).isEqualTo(JobState.RUNNING);
    }
  }

  @Test
  void a_copy_takes_over_from_an_owner_that_was_killed_and_restores_the_tail_alone()
      throws Exception {
    topics().create("jh-payments", "jh-charges", "jh-repeats", "jh-dead");
    int keys = 12_000;
    JobConfig here = config(stateDir).with("num.standby.replicas", 1);
    Process owner = JobProcess.start(bootstrapServers(), "jh", otherDir, "num.standby.replicas=1");
    try (JobHandle handle = JobBehaviour.dedup("jh").start(here)) {
      await().atMost(SOON).until(() -> tasks(handle) == 2 && handle.health().isRunning());
      topics().send("jh-payments", Topics.numbered(0, keys));
      await().atMost(SOON).until(() -> copied(handle) >= 3_000);
      owner.destroyForcibly().onExit().join();
      long restoredBefore = handle.counts().restored();
      assertThat(topics().committedSum("jh-dedup")).as("killed in the middle").isLessThan(keys);
      await().atMost(SOON).until(() -> topics().committedSum("jh-dedup") == keys);
      assertThat(tasks(handle)).isEqualTo(4);
      assertThat(handle.counts().restored() - restoredBefore)
          .as("restored after the owner's end; without its copies it would be some thousand")
          .isLessThan(1_000);
    } finally {
      owner.destroyForcibly();
    }
    assertThat(Topics.keysOf(topics().read("jh-charges"))).hasSize(keys).doesNotHaveDuplicates();
    assertThat(topics().read("jh-repeats")).isEmpty();
  }

  private static int tasks(JobHandle handle) {
    return handle.health().workers().stream().mapToInt(worker -> worker.tasks().size()).sum();
  }

  private static long copied(JobHandle handle) {
    return handle.standbys().stream().mapToLong(RestoreProgress::records).sum();
  }

  private static boolean isUpToDate(JobHandle handle) {
    List<RestoreProgress> copies = handle.standbys();
    return copies.size() == 2
        && copies.stream().allMatch(copy -> copy.end() > 0 && copy.position() >= copy.end());
  }

  @Test
  void health_and_meters_tell_what_the_job_does() throws Exception {
    topics().create("jf-in");
    topics().send("jf-in", Topics.numbered(0, 500));
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (JobHandle handle = counting("jf").start(config(stateDir));
        JobMeters meters = JobMeters.bind(handle, registry)) {
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                assertThat(handle.health().state()).isEqualTo(JobState.RUNNING);
                assertThat(handle.health().toString())
                    .contains("job jf, application jf", "RUNNING", "task jf-in-3", "lag 0");
                meters.refresh();
                assertThat(registry.get("fencepost.streams.records").functionCounter().count())
                    .isEqualTo(500);
                assertThat(
                        registry.get("fencepost.streams.lag").gauges().stream()
                            .collect(Collectors.summingDouble(gauge -> gauge.value())))
                    .isZero();
                assertThat(registry.get("fencepost.streams.lag").gauges()).hasSize(4);
              });
      assertThat(registry.get("fencepost.streams.commit").timer().count()).isPositive();
      assertThat(registry.get("fencepost.streams.transaction.records").summary().totalAmount())
          .isEqualTo(500);
      assertThat(registry.get("fencepost.streams.transaction.size").summary().totalAmount())
          .isGreaterThan(500 * 10);
      assertThat(
              registry.get("fencepost.streams.store.keys").tag("store", "counts").gauges().stream()
                  .collect(Collectors.summingDouble(gauge -> gauge.value())))
          .isEqualTo(500);
      assertThat(registry.get("fencepost.streams.state").tag("state", "running").gauge().value())
          .isEqualTo(1);
      handle.pause();
      await().atMost(SOON).until(() -> handle.health().state() == JobState.PAUSED);
      handle.resume();
      await().atMost(SOON).until(() -> handle.health().state() == JobState.RUNNING);
      handle.stop(Duration.ofSeconds(10));
      assertThat(handle.health().state()).isEqualTo(JobState.ENDED);
      assertThat(handle.health().detail()).contains("STOPPED");
      assertThatThrownBy(() -> handle.store(COUNTS).in(0).get("key-1"))
          .isInstanceOf(StoreNotHereException.class);
    }
    assertThat(registry.getMeters()).as("left in the registry").isEmpty();
  }

  private static boolean runs(JobHandle handle, int tasks) {
    return handle.store(COUNTS).partitionsHere().size() == tasks && handle.health().isRunning();
  }

  private static Job counting(String name) {
    Job job = Job.named(name);
    job.from(name + "-in", Serdes.String(), Serdes.String())
        .<String, String, String, Long>process(COUNTS, StateBehaviour::count);
    return job;
  }

  /** The second store is of the same task. */
  private static Job countingAndKeeping(String name, StoreSpec<String, String> latest) {
    Job job = Job.named(name);
    Flow<String, String> in = job.from(name + "-in", Serdes.String(), Serdes.String());
    in.<String, String, String, Long>process(COUNTS, StateBehaviour::count);
    in.<String, String, String, String>process(
        latest, (message, kept, out) -> kept.put(message.key(), message.value()));
    return job;
  }

  private static void count(
      Message<String, String> in, Store<String, Long> counts, Emitter<String, String> out) {
    Long before = counts.get(in.key());
    counts.put(in.key(), before == null ? 1 : before + 1);
  }

  private Topics topics() {
    return new Topics(bootstrapServers());
  }

  private JobConfig config(Path directory) {
    return config(directory, "classic");
  }

  private JobConfig config(Path directory, String protocol) {
    return protocol.equals("classic")
        ? JobBehaviour.config(bootstrapServers(), directory)
        : JobConfig.of(
            Map.of(
                "bootstrap.servers",
                bootstrapServers(),
                "state.dir",
                directory.toString(),
                "consumer.group.protocol",
                protocol));
  }
}
