package io.fencepost.streams;

import java.time.Duration;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** A started job. All methods may be called by any thread. */
public interface JobHandle extends AutoCloseable {
  /** Waits until the job has ended, however. */
  JobEnd await() throws InterruptedException;

  /** Waits that long; null if the job still runs. */
  @Nullable JobEnd await(Duration timeout) throws InterruptedException;

  /**
   * Ends the job: finishes the open transaction if the broker lets it, else leaves it to be
   * aborted, frees stores and leaves the group. Returns within the timeout whatever the broker
   * does; {@link JobEnd#left} says what was not done by then. Calling it again waits again.
   */
  JobEnd stop(Duration timeout);

  boolean isRunning();

  /**
   * Takes no input and fires no timers until {@link #resume}; what is open is committed, and the
   * instance keeps its partitions. Returns at once.
   */
  void pause();

  void resume();

  /** What it has done so far. */
  JobCounts counts();

  /** Offsets of the input that this instance committed last, by topic-partition. */
  SortedMap<String, Long> committedOffsets();

  /** The scope of the guarantee, as {@link Job#guarantee}. */
  String guarantee();

  /** {@link #stop} with thirty seconds. */
  @Override
  void close();
}
