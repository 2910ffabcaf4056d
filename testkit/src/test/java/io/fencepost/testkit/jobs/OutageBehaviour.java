package io.fencepost.testkit.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobEnd;
import io.fencepost.streams.JobHandle;
import io.fencepost.streams.JobState;
import io.fencepost.streams.StopReason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A running job whose broker goes away: killed, stopped, for a moment, for longer than every
 * timeout of the clients, for ever. Afterwards input, output, offsets and state must agree: P1, P2,
 * P4, P6.
 */
abstract class OutageBehaviour {
  private static final Duration SOON = Duration.ofSeconds(90);
  private static final int KEYS = 5_000;

  @TempDir Path directory;
  private KillableBroker broker;
  private Topics topics;
  private Job job;

  /** A fresh one that keeps its data below the directory, or elsewhere until it is closed. */
  abstract KillableBroker start(Path directory) throws Exception;

  @BeforeEach
  void startBroker() throws Exception {
    broker = start(directory.resolve("broker"));
    topics = new Topics(broker.bootstrapServers());
    topics.create("o-payments", "o-charges", "o-repeats", "o-dead");
    job = JobBehaviour.dedup("o");
  }

  @AfterEach
  void closeBroker() throws InterruptedException {
    if (broker != null) { // else the test is skipped
      broker.close();
    }
  }

  @Test
  void a_broker_killed_again_and_again_costs_nothing_and_repeats_nothing() throws Exception {
    topics.send("o-payments", Topics.numbered(0, KEYS));
    try (JobHandle handle = job.start(impatient())) {
      for (int i = 1; i <= 3; i++) {
        int enough = i * KEYS / 8;
        await().atMost(SOON).until(() -> handle.counts().records() >= enough);
        broker.kill();
        broker.restart();
      }
      awaitAll(handle, KEYS);
    }
    checkOutputAndState();
  }

  @Test
  void a_broker_away_for_longer_than_every_timeout_is_waited_for() throws Exception {
    topics.send("o-payments", Topics.numbered(0, KEYS));
    try (JobHandle handle = job.start(impatient())) {
      await().atMost(SOON).until(() -> handle.counts().records() >= KEYS / 4);
      broker.stop();
      LockSupport.parkNanos(Duration.ofSeconds(3).toNanos());
      broker.restart();
      awaitAll(handle, KEYS);
    }
    checkOutputAndState();
  }

  @Test
  void a_broker_that_does_not_come_back_ends_the_job_with_a_reason() throws Exception {
    topics.send("o-payments", Topics.numbered(0, KEYS));
    try (JobHandle handle = job.start(impatient().with("task.timeout.ms", 2_000))) {
      await().atMost(SOON).until(() -> handle.counts().records() >= KEYS / 4);
      broker.kill();
      JobEnd end = handle.await(Duration.ofSeconds(30));
      assertThat(end).isNotNull();
      assertThat(end.reason()).isEqualTo(StopReason.TIMED_OUT);
      assertThat(end.detail()).contains("task.timeout.ms=2000");
    }
    broker.restart();
    try (JobHandle handle = job.start(config())) {
      awaitAll(handle, KEYS);
    }
    checkOutputAndState();
  }

  @Test
  void stop_returns_in_time_from_a_dead_broker_says_what_is_left_and_frees_the_stores()
      throws Exception {
    topics.send("o-payments", Topics.numbered(0, KEYS));
    JobHandle handle = job.start(config().with("num.stream.threads", 2));
    await().atMost(SOON).until(() -> handle.counts().records() >= KEYS / 4);
    broker.kill();
    long begunNanos = System.nanoTime();
    JobEnd end = handle.stop(Duration.ofSeconds(2));
    assertThat(Duration.ofNanos(System.nanoTime() - begunNanos)).isLessThan(Duration.ofSeconds(12));
    assertThat(end.reason()).isEqualTo(StopReason.STOPPED);
    assertThat(end.left()).isNotEmpty();
    JobEnd whole = handle.await(SOON);
    assertThat(whole).isNotNull();
    assertThat(whole.reason()).isEqualTo(StopReason.STOPPED);
    broker.restart();
    try (JobHandle again = job.start(config())) {
      awaitAll(again, KEYS);
    }
    checkOutputAndState();
  }

  @Test
  void a_job_without_work_says_that_no_broker_answers_and_when_one_does_again() throws Exception {
    try (JobHandle handle = job.start(config())) {
      await().atMost(SOON).until(() -> handle.health().isRunning());
      broker.kill();
      await()
          .atMost(SOON)
          .until(() -> handle.health().toString().contains("no broker has answered since"));
      assertThat(handle.health().state()).isEqualTo(JobState.FAILING);
      broker.restart();
      await().atMost(SOON).until(() -> handle.health().isRunning());
    }
  }

  private void awaitAll(JobHandle handle, long records) throws Exception {
    try {
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(topics.committedSum("o-dedup"))
                      .as("%s", handle.health())
                      .isEqualTo(records));
    } catch (ConditionTimeoutException e) {
      broker.excuse(topics);
      throw e;
    }
  }

  private void checkOutputAndState() throws Exception {
    assertThat(topics.committedSum("o-dedup")).isEqualTo(KEYS);
    assertThat(Topics.keysOf(topics.read("o-charges"))).hasSize(KEYS).doesNotHaveDuplicates();
    assertThat(topics.read("o-repeats")).isEmpty();
    assertThat(topics.replay("o-dedup-seen-changelog")).hasSize(KEYS);
    // The store on disk knows every key, without a look at the changelog.
    topics.send("o-payments", Topics.numbered(0, KEYS));
    try (JobHandle handle = job.start(config())) {
      awaitAll(handle, 2L * KEYS);
      assertThat(handle.stop(Duration.ofSeconds(10)).isClean()).isTrue();
      assertThat(handle.counts().duplicates()).isEqualTo(KEYS);
      assertThat(handle.counts().restored()).isZero();
    }
    assertThat(topics.read("o-repeats")).hasSize(KEYS);
  }

  private JobConfig config() {
    return JobBehaviour.config(broker.bootstrapServers(), directory.resolve("state"))
        .with("session.timeout.ms", 3_000)
        .with("commit.max.records", 50)
        .with("consumer.max.poll.records", 50);
  }

  /** Every client gives up after a second or two. */
  private JobConfig impatient() {
    return config()
        .with("producer.max.block.ms", 1_000)
        .with("producer.request.timeout.ms", 800)
        .with("producer.delivery.timeout.ms", 1_000)
        .with("consumer.default.api.timeout.ms", 2_000)
        .with("consumer.request.timeout.ms", 1_500)
        .with("reconnect.backoff.max.ms", 200);
  }
}
