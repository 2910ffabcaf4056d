package io.fencepost.streams.task;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * The transaction of one worker, from begin to end.
 *
 * <pre>
 * DOUBTFUL -> IDLE      new producer (also the start: there is none yet)
 * IDLE     -> OPEN      first input of a cycle
 * OPEN     -> IDLE      committed
 * OPEN     -> BROKEN    a call failed, or partitions were lost: to be aborted
 * BROKEN   -> IDLE      aborted; DOUBTFUL where that undoes nothing (at least once)
 * OPEN, BROKEN -> DOUBTFUL   fenced, commit did not answer success, or abort failed
 * </pre>
 *
 * In BROKEN and DOUBTFUL nothing is processed. After both, every input partition of the worker is
 * rewound to its committed offset; after DOUBTFUL the stores catch up first.
 */
final class CommitCycle {
  /** Where the transaction stands. */
  enum Phase {
    IDLE,
    OPEN,
    BROKEN,
    DOUBTFUL
  }

  private static final int COMMIT_TRIES = 3;

  private final Gateway gateway;
  private final CycleCounts counts = new CycleCounts();
  private final Map<TopicPartition, Long> nextOffsets = new LinkedHashMap<>();
  private Phase phase = Phase.DOUBTFUL;
  private long begunAtMs;
  private AbortCause abortCause = AbortCause.ENDED;

  CommitCycle(Gateway gateway) {
    this.gateway = gateway;
  }

  Phase phase() {
    return phase;
  }

  CycleCounts counts() {
    return counts;
  }

  long begunAtMs() {
    return begunAtMs;
  }

  Map<TopicPartition, Long> nextOffsets() {
    return nextOffsets;
  }

  void beginIfIdle(long nowMs) {
    if (phase == Phase.IDLE) {
      gateway.begin();
      phase = Phase.OPEN;
      begunAtMs = nowMs;
    }
  }

  void processed(TopicPartition partition, long nextOffset, CycleCounts batch) {
    nextOffsets.put(partition, nextOffset);
    counts.add(batch);
  }

  /** Stages the offsets and commits. The caller sent all output and changes before. */
  void commit(int tries, Backlog backlog) {
    Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
    // A consumer that went past a marker stands behind it; committing that keeps the lag honest.
    nextOffsets.forEach(
        (tp, next) ->
            offsets.put(tp, backlog.holds(tp) ? next : Math.max(next, gateway.position(tp))));
    gateway.stageOffsets(offsets);
    nextOffsets.putAll(offsets);
    commitWithRetries(Math.min(tries, COMMIT_TRIES));
    phase = Phase.IDLE;
  }

  private void commitWithRetries(int tries) {
    for (int tried = 1; ; tried++) {
      try {
        gateway.commit();
        return;
      } catch (RuntimeException e) {
        if (FailureClass.of(e) != FailureClass.RETRY || tried >= tries) {
          // Whatever it says: the request may have reached the coordinator before. The offsets will
          // tell.
          phase = Phase.DOUBTFUL;
          throw e;
        }
      }
    }
  }

  /** Aborts, if that can be; else a new producer has to. */
  void abort() {
    forget();
    phase = Phase.DOUBTFUL;
    if (gateway.abort()) {
      phase = Phase.IDLE;
    }
  }

  void renewProducer() {
    forget();
    gateway.renewProducer();
    phase = Phase.IDLE;
  }

  /** A failed call: what now is open will not be committed. */
  void fail(FailureClass failure) {
    if (failure == FailureClass.FENCED) {
      phase = Phase.DOUBTFUL;
    } else {
      breakOff(AbortCause.of(failure));
    }
  }

  /** What is open, if anything, is to be aborted. */
  void breakOff(AbortCause cause) {
    if (phase == Phase.OPEN) {
      phase = Phase.BROKEN;
      abortCause = cause;
    }
  }

  /** Why it is BROKEN, or was when last it was. */
  AbortCause abortCause() {
    return abortCause;
  }

  void forget() {
    counts.clear();
    nextOffsets.clear();
  }
}
