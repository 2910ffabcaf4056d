package io.fencepost.samples.bench;

import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobHandle;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.serialization.Serdes;

/**
 * The job of {@link JobRace} as a process of its own: deduplicates until it has processed so many
 * records, prints one line, and waits for the end of its input before it goes.
 */
final class JobApp {
  static final String PAYMENTS = "bench-payments";
  static final String DONE = "done";

  static final int WORKERS = 2;

  private JobApp() {}

  /** Where the payments of one run go. */
  static String charges(String run) {
    return "bench-charges-" + run;
  }

  /** Where those go that come again. */
  static String repeated(String run) {
    return "bench-repeated-" + run;
  }

  /** Arguments: bootstrap servers, state directory, how many records there are, name of the run. */
  public static void main(String[] args) throws Exception {
    long records = Long.parseLong(args[2]);
    Job job = Job.named("bench-dedup-" + args[3]);
    job.from(PAYMENTS, Serdes.String(), Serdes.ByteArray())
        .deduplicate(
            "seen",
            Duration.ofDays(30),
            repeats -> repeats.to(repeated(args[3]), Serdes.String(), Serdes.ByteArray()))
        .to(charges(args[3]), Serdes.String(), Serdes.ByteArray());
    run(job, args[0], args[1], records);
  }

  /** Runs a job until it has processed so many records, then until this process's input ends. */
  static void run(Job job, String bootstrap, String stateDir, long records) throws Exception {
    JobConfig config =
        JobConfig.of(
            Map.of(
                "bootstrap.servers",
                bootstrap,
                "state.dir",
                stateDir,
                "num.stream.threads",
                WORKERS,
                "commit.interval.ms",
                100));
    try (JobHandle handle = job.start(config)) {
      while (handle.isRunning() && handle.counts().records() < records) {
        LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
      }
      System.out.println(handle.isRunning() ? DONE : handle.await());
      while (System.in.read() >= 0) {
        // the parent measures meanwhile, or kills this
      }
    }
  }
}
