package io.fencepost.streams.test;

import io.fencepost.streams.task.DefaultPartitioning;
import org.jspecify.annotations.Nullable;

/** Which partition a producer with default settings chooses: murmur2 of the key's bytes. */
final class KeyPartitions {
  private KeyPartitions() {}

  /** Without a key, turn by turn. */
  static int partition(byte @Nullable [] key, int partitions, long turn) {
    return key == null ? (int) (turn % partitions) : DefaultPartitioning.partition(key, partitions);
  }
}
