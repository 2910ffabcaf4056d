package io.fencepost.testkit.prove.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.Job;
import io.fencepost.testkit.main.JavaProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HostedJobIT {
  private static final long PATIENCE_SECONDS = 120;

  private final BlockingQueue<String> heard = new ArrayBlockingQueue<>(100);

  /** Tells what it reads from its standard input. */
  public static final class Reading {
    private Reading() {}

    public static Job define() throws IOException {
      int read = System.in.read();
      if (read < 0) {
        throw new IllegalStateException("read " + read);
      }
      return Job.named("fed");
    }
  }

  /** Hosts a job that stands still, prints its process id, and waits to be killed. */
  static final class Parent {
    private Parent() {}

    public static void main(String[] args) throws IOException {
      HostedJob job = HostedJob.launch("", ProcessBuilder.Redirect.DISCARD);
      job.pause();
      System.out.println(job.pid());
      System.out.println(System.in.read());
    }
  }

  @Test
  void a_job_that_reads_its_standard_input_takes_no_orders_away() throws Exception {
    HostedJob host = HostedJob.launch("", ProcessBuilder.Redirect.DISCARD);
    try {
      for (int start = 0; start < 2; start++) {
        start(host, Reading.class);
        assertThat(heard()).contains("ended false").contains("read -1");
      }
    } finally {
      host.kill();
    }
  }

  /** Ends its process. */
  public static final class Exiting {
    private Exiting() {}

    public static Job define() {
      System.exit(3);
      return Job.named("never");
    }
  }

  @Test
  void a_job_is_described_or_said_to_define_none() {
    assertThat(JobShape.of(CountingSubject.Counting.class.getName(), ""))
        .isEqualTo(new JobShape("counting", List.of("numbers"), List.of("counts")));
    assertThatThrownBy(() -> JobShape.of(Exiting.class.getName(), ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("its process ended by itself with exit code 3");
    assertThatThrownBy(() -> JobShape.of(Reading.class.getName(), ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("define() failed: java.lang.IllegalStateException: read -1");
  }

  @Test
  void a_process_that_stands_still_ends_when_its_parent_is_killed() throws Exception {
    Process parent =
        JavaProcess.of(Parent.class).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    try (BufferedReader said =
        new BufferedReader(
            new InputStreamReader(parent.getInputStream(), StandardCharsets.UTF_8))) {
      ProcessHandle job = ProcessHandle.of(Long.parseLong(said.readLine())).orElseThrow();
      assertThat(job.isAlive()).isTrue();
      parent.destroyForcibly();
      job.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } finally {
      parent.destroyForcibly();
    }
  }

  private @Nullable String heard() throws InterruptedException {
    return heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  private void start(HostedJob host, Class<?> job) {
    host.start(
        job.getName(),
        new TreeSet<>(),
        Map.of("bootstrap.servers", "localhost:1"),
        new HostedJob.Listener() {
          @Override
          public void ended(boolean isClean, String detail) {
            heard.add("ended " + isClean + ": " + detail);
          }

          @Override
          public void committed(long records) {}

          @Override
          public void failed(String worker, String failure, String exception) {}

          @Override
          public String step(String point, String worker, String topic, int partition) {
            return "";
          }
        });
  }
}
