package io.fencepost.streams;

import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
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

  /** How it is now, per worker and task. */
  JobHealth health();

  /** The stores that are being restored here; empty when all tasks are ready. */
  List<RestoreProgress> restoring();

  /** The stores of which this instance keeps a standby copy, and how far each is. */
  List<RestoreProgress> standbys();

  /** The stores whose tasks this instance works on. */
  List<StoreSize> storeSizes();

  /**
   * A store to read, with serdes of its serialized keys and values: for {@code deduplicate} that of
   * the input's keys and {@code Serdes.Long()} (the time of the first sight).
   *
   * @throws IllegalArgumentException if the job has no such store
   */
  <K, V> StoreView<K, V> store(String name, Serde<K> keySerde, Serde<V> valueSerde);

  /** As {@link #store(String, Serde, Serde)}. */
  default <K, V> StoreView<K, V> store(StoreSpec<K, V> spec) {
    return store(spec.name(), spec.keySerde(), spec.valueSerde());
  }

  /** The instance that has a key's partition of a store, as {@link StoreView#ownerOf}. */
  default <K> StoreOwner ownerOf(String store, K key, Serde<K> keySerde) {
    return store(store, keySerde, Serdes.ByteArray()).ownerOf(key);
  }

  /** From now on tells the observer. */
  void observe(JobObserver observer);

  /** The scope of the guarantee, as {@link Job#guarantee}. */
  String guarantee();

  /** {@link #stop} with thirty seconds. */
  @Override
  void close();
}
