package io.fencepost.streams.task;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * Whether a task with records of some of its inputs waits for the others, so that all take turns by
 * timestamp. It waits for an input as long as the broker has (or may have) records of it that were
 * not fetched; where there are none, for {@code max.task.idle.ms} more, in case that some are
 * written; with -1 for nothing at all. The rules of KIP-695.
 */
final class InputWait {
  private final Gateway gateway;
  private final Backlog backlog;
  private final long maxIdleMs;
  private final Map<TopicPartition, Long> emptySinceMs = new LinkedHashMap<>();

  InputWait(Gateway gateway, Backlog backlog, long maxIdleMs) {
    this.gateway = gateway;
    this.backlog = backlog;
    this.maxIdleMs = maxIdleMs;
  }

  boolean isWaiting(Task task, long nowMs) {
    if (maxIdleMs < 0 || task.inputs().size() == 1 || !task.plan().takesTurns()) {
      return false;
    }
    boolean waits = false;
    for (TopicPartition input : task.inputs()) {
      if (backlog.holds(input)) {
        emptySinceMs.remove(input);
      } else {
        waits |= isAwaited(input, nowMs);
      }
    }
    return waits;
  }

  private boolean isAwaited(TopicPartition input, long nowMs) {
    if (gateway.lag(input) != 0) {
      emptySinceMs.remove(input);
      return true;
    }
    Long sinceMs = emptySinceMs.putIfAbsent(input, nowMs);
    return nowMs - (sinceMs == null ? nowMs : sinceMs) < maxIdleMs;
  }

  void forget() {
    emptySinceMs.clear();
  }
}
