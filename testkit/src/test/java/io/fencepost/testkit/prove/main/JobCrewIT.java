package io.fencepost.testkit.prove.main;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.main.SystemClock;
import io.fencepost.streams.Job;
import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.fault.main.ShortTimes;
import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobCrewIT {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir private Path directory;
  private FencepostServer server;
  private HostPool pool;

  /** Ends its process where a job is asked for. */
  public static final class Exiting {
    private Exiting() {}

    public static Job define() {
      Runtime.getRuntime().halt(7);
      throw new IllegalStateException("it goes on");
    }
  }

  @BeforeEach
  void start() {
    FencepostConfig.Builder config = FencepostConfig.builder().port(0);
    ShortTimes.ofBrokers().forEach(config::set);
    server = FencepostServer.start(config.build());
    pool = new HostPool("", directory.resolve("log"), 1);
  }

  @AfterEach
  void stop() {
    pool.close();
    server.close();
  }

  private JobCrew crew(Class<?> job) {
    Subject subject = new CountingSubject(job);
    try (Topics topics = new Topics(server.bootstrapServers())) {
      topics.create(List.of("numbers", "counts"), 1, 1);
    }
    subject.publish(server.bootstrapServers());
    return new JobCrew(
        subject,
        pool,
        Faults.of(FaultPlan.NONE, new SystemClock()),
        fired -> {},
        new ProofHistory(),
        new JobCrew.Place(server.bootstrapServers(), 1, directory));
  }

  private static Fired fired(String plan) {
    return new Fired(FaultPlan.parse(plan).faults().get(0), 1, FaultFacts.NONE, 0);
  }

  @Test
  void a_process_that_ends_by_itself_is_started_again_and_told_of() {
    try (JobCrew crew = crew(Exiting.class)) {
      crew.start(1);
      Awaitility.await().atMost(PATIENCE).until(() -> crew.counts().restarts() > 1);
      assertThat(crew.endings())
          .first()
          .isEqualTo("instance 1 ended: its process ended by itself with exit code 7");
      assertThat(crew.stop(PATIENCE)).isEmpty();
    }
  }

  @Test
  void an_instance_that_is_paused_just_before_all_are_stopped_stops_with_them() {
    try (JobCrew crew = crew(CountingSubject.Counting.class)) {
      crew.start(1);
      crew.start(2);
      Awaitility.await().atMost(PATIENCE).until(() -> crew.counts().commits() > 0);
      crew.act(fired("kill job 2@before-end"));
      crew.act(fired("pause job 1@before-end for 1h"));
      assertThat(crew.stop(Duration.ofSeconds(30))).isEmpty();
    }
  }
}
