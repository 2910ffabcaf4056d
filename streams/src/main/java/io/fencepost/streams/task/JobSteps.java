package io.fencepost.streams.task;

import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Stands between a worker and what it calls, so that a test can stop, delay or fail it at any step
 * of a transaction. Called on the worker's thread.
 */
@FunctionalInterface
public interface JobSteps {
  /** Nobody stands there. */
  JobSteps NONE = (step, worker, about) -> {};

  /** Each is passed before and after the call. */
  enum Step {
    BEFORE_POLL,
    /** Only where the poll brought records. */
    AFTER_POLL,
    BEFORE_SEND,
    AFTER_SEND,
    BEFORE_STAGE,
    AFTER_STAGE,
    BEFORE_END,
    AFTER_END,
    BEFORE_APPLY,
    AFTER_APPLY
  }

  /**
   * The worker passes a step; what this throws the call throws: before it has an effect, or after.
   *
   * @param worker its transactional id
   * @param about the partition or, with number -1, the topic that is sent to; null if it is none
   */
  void pass(Step step, String worker, @Nullable TopicPartition about);
}
