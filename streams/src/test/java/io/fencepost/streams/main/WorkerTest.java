package io.fencepost.streams.main;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.JobObserver;
import io.fencepost.streams.JobState;
import io.fencepost.streams.WorkerHealth;
import io.fencepost.streams.task.FailureClass;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WorkerTest {
  @Test
  void an_observer_that_throws_disturbs_neither_the_worker_nor_other_observers() {
    List<String> told = new ArrayList<>();
    Worker worker = new Worker("j-0", new Worker.Owner("j", ended -> {}, observers(told)));
    worker.committing();
    worker.committed(3, 10);
    worker.failed(FailureClass.RETRY, new IllegalStateException("no answer"));
    assertThat(told).containsExactly("3 of j-0", "RETRY of j-0");
  }

  @Test
  void a_commit_that_waits_for_the_cluster_is_told_though_the_thread_can_say_nothing() {
    Worker worker = new Worker("j-0", new Worker.Owner("j", ended -> {}, List.of()));
    worker.committing();
    long laterNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    assertThat(worker.health().state()).isEqualTo(JobState.STARTING);
    WorkerHealth waiting = worker.health(laterNanos);
    assertThat(waiting.state()).isEqualTo(JobState.FAILING);
    assertThat(waiting.since()).isBefore(Instant.now().minusSeconds(80));
    assertThat(waiting.detail()).contains("commit has been waiting", waiting.since().toString());
    worker.committed(1, 1);
    assertThat(worker.health(laterNanos).state()).isEqualTo(JobState.STARTING);
    worker.committing();
    worker.failed(FailureClass.RETRY, new IllegalStateException("no answer"));
    assertThat(worker.health(laterNanos).state()).isEqualTo(JobState.STARTING);
  }

  private static List<JobObserver> observers(List<String> told) {
    JobObserver throwing =
        new JobObserver() {
          @Override
          public void committed(String worker, long nanos, long records, long bytes) {
            throw new IllegalStateException("told to fail");
          }

          @Override
          public void failed(String worker, String failure, String exception) {
            throw new IllegalStateException("told to fail");
          }
        };
    JobObserver hearing =
        new JobObserver() {
          @Override
          public void committed(String worker, long nanos, long records, long bytes) {
            told.add(records + " of " + worker);
          }

          @Override
          public void failed(String worker, String failure, String exception) {
            told.add(failure + " of " + worker);
          }
        };
    return List.of(throwing, hearing);
  }
}
