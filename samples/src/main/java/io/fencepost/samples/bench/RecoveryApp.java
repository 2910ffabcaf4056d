package io.fencepost.samples.bench;

import io.fencepost.streams.Job;
import io.fencepost.streams.StoreSpec;
import org.apache.kafka.common.serialization.Serdes;

/**
 * The job of {@link RecoveryRace} as a process of its own: keeps the latest value of each key and
 * writes its size, until it has processed so many records; then it prints one line and waits for
 * the end of its input, or its death.
 */
final class RecoveryApp {
  static final String ROWS = "bench-rows";
  static final String STORE = "latest";

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
    JobApp.run(job, args[0], args[1], records);
  }
}
