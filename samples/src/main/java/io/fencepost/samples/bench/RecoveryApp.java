package io.fencepost.samples.bench;

import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobHandle;
import io.fencepost.streams.StoreSpec;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.serialization.Serdes;

/**
 * The job of {@link RecoveryRace} as a process of its own: keeps the latest value of each key and
 * writes its size, until it has processed so many records; then it prints one line and waits for
 * the end of its input, or its death.
 */
final class RecoveryApp {
  static final String ROWS = "bench-rows";
  static final String STORE = "latest";
  static final int WORKERS = 2;

  private RecoveryApp() {}

  /** Arguments: bootstrap servers, state directory, how many records, application, output topic. */
  public static void main(String[] args) throws Exception {
    long records = Long.parseLong(args[2]);
    StoreSpec<String, byte[]> latest = StoreSpec.keyed(STORE, Serdes.String(), Serdes.ByteArray());
    Job job = Job.named(args[3]);
    job.from(ROWS, Serdes.String(), Serdes.ByteArray())
        .<String, Integer, String, byte[]>process(
            latest,
            (row, rows, out) -> {
              rows.put(row.key(), row.value());
              out.emit(row.withValue(row.value().length));
            })
        .to(args[4], Serdes.String(), Serdes.Integer());
    JobConfig config =
        JobConfig.of(
            Map.of(
                "bootstrap.servers",
                args[0],
                "state.dir",
                args[1],
                "num.stream.threads",
                WORKERS,
                "commit.interval.ms",
                100));
    try (JobHandle handle = job.start(config)) {
      while (handle.isRunning() && handle.counts().records() < records) {
        LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
      }
      System.out.println(handle.isRunning() ? JobApp.DONE : handle.await());
      while (System.in.read() >= 0) {
        // until it is killed
      }
    }
  }
}
