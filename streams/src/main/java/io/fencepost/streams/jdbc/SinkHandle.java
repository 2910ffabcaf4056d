package io.fencepost.streams.jdbc;

import io.fencepost.streams.JobEnd;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A started {@link JdbcSink}. All methods may be called by any thread. */
public interface SinkHandle extends AutoCloseable {
  /** Waits until the sink has ended, however. */
  JobEnd await() throws InterruptedException;

  /** Waits that long; null if the sink still runs. */
  @Nullable JobEnd await(Duration timeout) throws InterruptedException;

  /**
   * Ends the sink after the database transaction at hand. Returns within the timeout whatever
   * database and broker do; {@link JobEnd#left} says what was not done by then.
   */
  JobEnd stop(Duration timeout);

  boolean isRunning();

  SinkHealth health();

  SinkCounts counts();

  /** {@link #stop} with thirty seconds. */
  @Override
  void close();
}
