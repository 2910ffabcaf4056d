package io.fencepost.streams;

import java.util.Map;
import java.util.SortedSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A store of a running job as others may read it: what is committed, never what an open transaction
 * has written. Thread-safe as far as its serdes are.
 *
 * <p>A key is sought in the partition that Kafka's default partitioner gives it. Where the input is
 * partitioned otherwise, read {@link #in} the partition that you know.
 */
public interface StoreView<K, V> {
  /**
   * The committed value; null if there is none.
   *
   * @throws StoreNotHereException if the key's partition is on another instance, or not restored
   */
  @Nullable V get(K key);

  /**
   * Entries with {@code from <= key < to} (null: no bound) of the partitions that run here, one
   * partition after the other, each in unsigned byte order of the serialized keys. Read in pages of
   * a thousand while the stream is consumed: a page is one committed state of its partition, the
   * next may be a later one. Holds no resources, so it need not be closed.
   *
   * @throws StoreNotHereException on the way, if a partition leaves this instance
   */
  Stream<Map.Entry<K, V>> range(@Nullable K from, @Nullable K to);

  /** {@link #range} without bounds. */
  Stream<Map.Entry<K, V>> all();

  /** The same for one partition; reading throws if it is not here. */
  StoreView<K, V> in(int partition);

  /** The partition of a key by Kafka's default partitioner. */
  int partitionOf(K key);

  /** The partitions that can be read here now. */
  SortedSet<Integer> partitionsHere();

  /** The instance that has the key's partition. Asks the cluster at most every few seconds. */
  StoreOwner ownerOf(K key);
}
