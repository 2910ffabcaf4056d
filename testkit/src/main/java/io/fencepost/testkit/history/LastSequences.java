package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Remnant;
import io.fencepost.testkit.history.Event.Sequenced;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A part of L7: a producer that pauses while its records are removed goes on with its next
 * sequence, its last batch is still known when it is sent again, and stays in every compacted
 * replica, if need be without records.
 *
 * <p>A replica that starts anew behind the start of a trimmed log cannot know who wrote in front of
 * it: there a repetition counts only if all replicas were in sync all the time. Counts repetitions
 * of batches that were removed.
 */
final class LastSequences implements Check {
  @Override
  public String id() {
    return "L7";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, Sequenced> last = new TreeMap<>();
    TreeMap<Boolean, Long> occasions = new TreeMap<>();
    for (Sequenced now : history.all(Sequenced.class)) {
      String producer = name(now.producer().toString(), now.partition().toString());
      Sequenced before = now.isRepeat() ? last.get(producer) : last.put(producer, now);
      boolean isCompacted = Shrinking.isCompacted(now.partition());
      if (!now.isRepeat() && now.outcome() == Outcome.FAILED) {
        return new Verdict.Fail("the next sequence was refused: " + now);
      }
      if (!now.isRepeat() || before == null || !(isCompacted || now.isCalm())) {
        continue;
      }
      boolean isElsewhere = now.offset() >= 0 && now.offset() != before.offset();
      if (now.outcome() == Outcome.FAILED || isElsewhere) {
        return new Verdict.Fail("%s was sent again and not known: %s".formatted(before, now));
      }
      if (now.outcome() == Outcome.OK && now.isGone()) {
        occasions.merge(isCompacted, 1L, Long::sum);
      }
    }
    String lost = lost(history, last);
    if (!lost.isEmpty()) {
      return new Verdict.Fail(lost);
    }
    return occasions.size() < 2
        ? new Verdict.Vacuous()
        : new Verdict.Pass(occasions.values().stream().mapToLong(Long::longValue).sum());
  }

  /** The replica that has lost the last batch of a producer; empty if there is none. */
  private static String lost(History history, TreeMap<String, Sequenced> last) {
    TreeMap<String, Integer> kept = new TreeMap<>();
    TreeSet<Integer> brokers = new TreeSet<>();
    for (Remnant batch : history.all(Remnant.class)) {
      brokers.add(batch.broker());
      kept.merge(
          batch.broker() + name(batch.producer().toString(), batch.partition().toString()),
          batch.lastSequence(),
          Math::max);
    }
    for (Sequenced sequenced : last.values()) {
      String producer = name(sequenced.producer().toString(), sequenced.partition().toString());
      for (int broker : brokers) {
        if (sequenced.outcome() == Outcome.OK
            && Shrinking.isCompacted(sequenced.partition())
            && kept.getOrDefault(broker + producer, -1) < sequenced.sequence()) {
          return "broker %d has no batch of this producer's last sequence: %s"
              .formatted(broker, sequenced);
        }
      }
    }
    return "";
  }

  private static String name(String producer, String partition) {
    return " " + producer + " " + partition;
  }
}
