package io.fencepost.streams.client;

/** A worker's place in the group, which outlives the worker unless it leaves. */
public interface Seat {
  /**
   * Makes way for the worker, before it joins.
   *
   * @return whether it takes over the member of a dead process
   */
  boolean take();

  /**
   * Leaves the group for good. Waits for the answer a moment even if no time is left.
   *
   * @throws org.apache.kafka.common.KafkaException if none came: it leaves when its session ends
   */
  void leave(long timeoutMs);
}
