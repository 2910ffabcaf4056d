package io.fencepost.broker.producer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares a snapshot with the producers that a replay of the same log yields. They may differ by
 * what the log does not tell: producers that were quiet for long are forgotten. Whoever is
 * forgotten was quiet for longer than all that are remembered, so that a hole in the middle is
 * found.
 */
public final class SnapshotComparison {
  private final ProducerStates replayed;

  /**
   * @param replayed with log positions for times, see {@link #seed}
   */
  public SnapshotComparison(ProducerStates replayed) {
    this.replayed = replayed;
  }

  /** A snapshot as the start of a replay: its producers were all seen before everything else. */
  public static ProducerStates seed(ProducerStates snapshot) {
    snapshot.forEach(entry -> entry.seen(-1));
    return snapshot;
  }

  /**
   * The first difference, or null; then the replay has forgotten whom the snapshot has forgotten,
   * and can go on.
   */
  public @Nullable String difference(ProducerStates snapshot) {
    for (ProducerEntry saved : snapshot.sorted()) {
      String difference = difference(saved, replayed.find(saved.producerId()));
      if (difference != null) {
        return difference;
      }
    }
    String missing = missing(snapshot);
    if (missing == null) {
      replayed.retain(snapshot);
    }
    return missing;
  }

  private static @Nullable String difference(ProducerEntry saved, @Nullable ProducerEntry logged) {
    String who = "producer " + saved.producerId();
    if (logged == null) {
      return who + " is in it and has written nothing into the log";
    }
    if (saved.epoch() != logged.epoch()) {
      return "%s is in epoch %d, by the log in epoch %d"
          .formatted(who, saved.epoch(), logged.epoch());
    }
    if (saved.openFirstOffset() != logged.openFirstOffset()) {
      return "%s has %s, by the log it has %s".formatted(who, open(saved), open(logged));
    }
    // A producer that was forgotten for a while is remembered by its newest batches only.
    boolean wasForgotten = saved.batchCount() < logged.batchCount();
    if (saved.coordinatorEpoch() != logged.coordinatorEpoch()
        && !(wasForgotten && saved.coordinatorEpoch() == -1)) {
      return "%s got its last marker in coordinator epoch %d, by the log in epoch %d"
          .formatted(who, saved.coordinatorEpoch(), logged.coordinatorEpoch());
    }
    return batches(saved, logged);
  }

  private static String open(ProducerEntry entry) {
    return entry.hasOpenTransaction()
        ? "a transaction open since offset " + entry.openFirstOffset()
        : "no open transaction";
  }

  private static @Nullable String batches(ProducerEntry saved, ProducerEntry logged) {
    int older = logged.batchCount() - saved.batchCount();
    if (older < 0) {
      return "producer %d has %d last batches, by the log %d"
          .formatted(saved.producerId(), saved.batchCount(), logged.batchCount());
    }
    for (int i = 0; i < saved.batchCount(); i++) {
      int j = older + i;
      if (saved.baseOffset(i) != logged.baseOffset(j)
          || saved.firstSequence(i) != logged.firstSequence(j)
          || saved.lastSequence(i) != logged.lastSequence(j)
          || saved.timestamp(i) != logged.timestamp(j)) {
        return "producer %d wrote sequences %d to %d at offset %d, by the log %d to %d at offset %d"
            .formatted(
                saved.producerId(),
                saved.firstSequence(i),
                saved.lastSequence(i),
                saved.baseOffset(i),
                logged.firstSequence(j),
                logged.lastSequence(j),
                logged.baseOffset(j));
      }
    }
    return null;
  }

  /** Somebody who must not have been forgotten. */
  private @Nullable String missing(ProducerStates snapshot) {
    List<ProducerEntry> all = replayed.sorted();
    long earliestKept = Long.MAX_VALUE;
    for (ProducerEntry logged : all) {
      if (!logged.hasOpenTransaction() && snapshot.find(logged.producerId()) != null) {
        earliestKept = Math.min(earliestKept, logged.lastSeenMs());
      }
    }
    for (ProducerEntry logged : all) {
      boolean isMissing = snapshot.find(logged.producerId()) == null;
      if (isMissing && logged.hasOpenTransaction()) {
        return "producer %d is missing, it has %s".formatted(logged.producerId(), open(logged));
      }
      if (isMissing && logged.lastSeenMs() > earliestKept) {
        return "producer %d is missing, and others who wrote before it are there"
            .formatted(logged.producerId());
      }
    }
    return null;
  }
}
