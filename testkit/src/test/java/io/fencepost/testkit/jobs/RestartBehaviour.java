package io.fencepost.testkit.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobEnd;
import io.fencepost.streams.JobHandle;
import io.fencepost.streams.StopReason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How soon work goes on when an instance ends, with the default session timeouts: far below them,
 * as nobody has to wait for a session to end. In both group protocols.
 */
abstract class RestartBehaviour {
  private static final Duration SOON = Duration.ofSeconds(90);

  /** Below the session timeout of either protocol, and much for a machine that is busy. */
  private static final Duration AT_ONCE = Duration.ofSeconds(35);

  private static final int KEYS = 4_000;

  @TempDir Path stateDir;
  @TempDir Path otherDir;

  abstract String bootstrapServers();

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void a_killed_instance_goes_on_as_soon_as_it_is_started_again(String protocol) throws Exception {
    String name = "ra-" + protocol;
    killInTheMiddle(name, stateDir, protocol, "num.stream.threads=2");
    try (JobHandle handle = dedup(name).start(config(stateDir, protocol, 2))) {
      await().atMost(AT_ONCE).until(() -> handle.counts().records() > 0);
      awaitAll(name, KEYS);
    }
    checkCharges(name, KEYS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void one_that_starts_with_fewer_workers_does_not_wait_for_the_others(String protocol)
      throws Exception {
    String name = "rb-" + protocol;
    killInTheMiddle(name, stateDir, protocol, "num.stream.threads=3");
    try (JobHandle handle = dedup(name).start(config(stateDir, protocol, 1))) {
      await().atMost(AT_ONCE).until(() -> handle.health().workers().get(0).tasks().size() == 4);
      awaitAll(name, KEYS);
    }
    checkCharges(name, KEYS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void one_that_starts_with_more_workers_shares_the_partitions_among_them(String protocol)
      throws Exception {
    String name = "rc-" + protocol;
    killInTheMiddle(name, stateDir, protocol, "num.stream.threads=1");
    try (JobHandle handle = dedup(name).start(config(stateDir, protocol, 2))) {
      await()
          .atMost(AT_ONCE)
          .until(
              () -> handle.health().workers().stream().allMatch(each -> each.tasks().size() == 2));
      awaitAll(name, KEYS);
    }
    checkCharges(name, KEYS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void one_of_the_same_instance_id_needs_no_state_directory_to_go_on(String protocol)
      throws Exception {
    String name = "rd-" + protocol;
    killInTheMiddle(name, stateDir, protocol, "instance.id=blue");
    JobConfig config = config(otherDir, protocol, 1).with("instance.id", "blue");
    try (JobHandle handle = dedup(name).start(config)) {
      await().atMost(AT_ONCE).until(() -> handle.counts().records() > 0);
      awaitAll(name, KEYS);
    }
    checkCharges(name, KEYS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void one_that_reads_another_topic_too_since_it_was_killed_gets_its_partitions(String protocol)
      throws Exception {
    String name = "re-" + protocol;
    killInTheMiddle(name, stateDir, protocol, "num.stream.threads=2");
    topics().create(name + "-more");
    topics().send(name + "-more", Topics.numbered(KEYS, KEYS + 100));
    Job more = Job.named(name + "-dedup").deadLetters(name + "-dead");
    more.from(List.of(name + "-payments", name + "-more"), Serdes.String(), Serdes.String())
        .deduplicate(
            "seen",
            Duration.ofDays(1),
            repeats -> repeats.to(name + "-repeats", Serdes.String(), Serdes.String()))
        .to(name + "-charges", Serdes.String(), Serdes.String());
    try (JobHandle handle = more.start(config(stateDir, protocol, 2))) {
      awaitAll(name, KEYS + 100, AT_ONCE.multipliedBy(2));
      assertThat(handle.isRunning()).isTrue();
    }
    checkCharges(name, KEYS + 100);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void one_that_is_stopped_hands_its_partitions_over_at_once(String protocol) throws Exception {
    String name = "rf-" + protocol;
    createTopics(name);
    try (JobHandle stays = dedup(name).start(config(stateDir, protocol, 1));
        JobHandle goes = dedup(name).start(config(otherDir, protocol, 2))) {
      await().atMost(SOON).until(() -> tasks(goes) > 0 && tasks(stays) + tasks(goes) == 4);
      assertThat(goes.stop(Duration.ofSeconds(10)).left()).isEmpty();
      await().atMost(AT_ONCE).until(() -> tasks(stays) == 4);
      topics().send(name + "-payments", Topics.numbered(0, KEYS));
      awaitAll(name, KEYS);
    }
    checkCharges(name, KEYS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void of_two_that_bear_the_same_instance_id_the_later_one_stays(String protocol) throws Exception {
    String name = "rg-" + protocol;
    createTopics(name);
    topics().send(name + "-payments", Topics.numbered(0, KEYS));
    try (JobHandle first =
        dedup(name).start(config(stateDir, protocol, 1).with("instance.id", "twin"))) {
      await().atMost(SOON).until(() -> first.counts().records() == KEYS);
      try (JobHandle second =
          dedup(name).start(config(otherDir, protocol, 1).with("instance.id", "twin"))) {
        JobEnd end = first.await(SOON);
        assertThat(end).isNotNull();
        assertThat(end.reason()).isEqualTo(StopReason.REPLACED);
        assertThat(end.detail()).contains("instance.id");
        topics().send(name + "-payments", Topics.numbered(KEYS, 2 * KEYS));
        awaitAll(name, 2 * KEYS);
        assertThat(second.isRunning()).isTrue();
      }
    }
    checkCharges(name, 2 * KEYS);
  }

  private static int tasks(JobHandle handle) {
    return handle.health().workers().stream().mapToInt(each -> each.tasks().size()).sum();
  }

  private void killInTheMiddle(String name, Path directory, String protocol, String setting)
      throws Exception {
    createTopics(name);
    topics().send(name + "-payments", Topics.numbered(0, KEYS));
    Process child =
        JobProcess.start(
            bootstrapServers(),
            name,
            directory,
            "session.timeout.ms=",
            "heartbeat.interval.ms=" + (protocol.equals("classic") ? "300" : ""),
            "group.protocol=" + protocol,
            setting);
    try {
      await().atMost(SOON).until(() -> topics().committedSum(name + "-dedup") > 100);
    } finally {
      child.destroyForcibly().onExit().join();
    }
    assertThat(topics().committedSum(name + "-dedup")).as("killed in the middle").isLessThan(KEYS);
  }

  private void createTopics(String name) throws Exception {
    topics().create(name + "-payments", name + "-charges", name + "-repeats", name + "-dead");
  }

  private void awaitAll(String name, long records) {
    awaitAll(name, records, SOON);
  }

  private void awaitAll(String name, long records, Duration time) {
    await().atMost(time).until(() -> topics().committedSum(name + "-dedup") == records);
  }

  private void checkCharges(String name, int keys) {
    assertThat(Topics.keysOf(topics().read(name + "-charges")))
        .hasSize(keys)
        .doesNotHaveDuplicates();
    assertThat(topics().read(name + "-repeats")).isEmpty();
  }

  private static Job dedup(String name) {
    return JobBehaviour.dedup(name);
  }

  private Topics topics() {
    return new Topics(bootstrapServers());
  }

  /** Session timeouts are the defaults. */
  private JobConfig config(Path directory, String protocol, int workers) {
    Map<String, Object> settings =
        new HashMap<>(
            Map.of(
                "bootstrap.servers",
                bootstrapServers(),
                "state.dir",
                directory,
                "group.protocol",
                protocol,
                "num.stream.threads",
                workers));
    if (protocol.equals("classic")) {
      settings.put("heartbeat.interval.ms", 300);
    }
    return JobConfig.of(settings);
  }
}
