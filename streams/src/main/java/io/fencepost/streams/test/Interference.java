package io.fencepost.streams.test;

import java.util.List;
import org.apache.kafka.common.TopicPartition;

/**
 * Who steps between a worker and the {@link MemoryCluster}. Both methods may throw what a client
 * throws (the call failed before, or after, it had effect) or an {@link Error} (the process died
 * there). Called on the worker's thread.
 */
public interface Interference {
  /** What a worker asks of cluster and disk. */
  enum Call {
    POLL,
    COMMITTED,
    RENEW,
    SEND,
    SEND_CHANGE,
    STAGE,
    COMMIT,
    ABORT,
    CHANGELOG_ENDS,
    RESTORE,
    APPLY
  }

  /** The call has no effect yet. */
  default void before(Call call) {}

  /** The call had its effect, and was not answered yet. */
  default void after(Call call) {}

  /** The most records of one partition that the next {@link Call#POLL} or RESTORE hands out. */
  default int most(Call call) {
    return Integer.MAX_VALUE;
  }

  /** As {@link #most(Call)}, for one who minds which partition it is. */
  default int most(Call call, TopicPartition partition) {
    return most(call);
  }

  /** Partitions that the group takes away during this poll, and gives back in the next. */
  default Taken taken(List<TopicPartition> assigned) {
    return Taken.NONE;
  }

  /** A poll found nothing and waited that long. */
  default void waited(long timeoutMs) {}

  /**
   * What the group takes away.
   *
   * @param isLost whether the worker hears of it too late to commit
   */
  record Taken(List<TopicPartition> partitions, boolean isLost) {
    static final Taken NONE = new Taken(List.of(), false);
  }
}
