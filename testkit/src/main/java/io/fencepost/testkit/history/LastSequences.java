package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Remnant;
import io.fencepost.testkit.history.Event.Sequenced;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

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
  public List<Class<? extends Event>> needs() {
    return List.of(Sequenced.class);
  }

  @Override
  public String occasions() {
    return "repetitions of batches that were removed, in compacted and in trimmed logs";
  }

  @Override
  public Verdict check(History history) {
    Shrinking shrinking = Shrinking.of(history);
    TreeMap<String, Sequenced> last = new TreeMap<>();
    TreeMap<Boolean, Long> occasions = new TreeMap<>();
    for (Sequenced now : history.all(Sequenced.class)) {
      String producer = name(now.producer().toString(), now.partition().toString());
      Sequenced before = now.isRepeat() ? last.get(producer) : last.put(producer, now);
      boolean isCompacted = shrinking.isCompacted(now.partition());
      if (!now.isRepeat() && now.outcome() == Outcome.FAILED) {
        return Verdict.broken("the next sequence was refused", now);
      }
      if (!now.isRepeat() || before == null || !(isCompacted || now.isCalm())) {
        continue;
      }
      boolean isElsewhere = now.offset() >= 0 && now.offset() != before.offset();
      if (now.outcome() == Outcome.FAILED || isElsewhere) {
        return Verdict.broken("it was sent again and not known", before, now);
      }
      if (now.outcome() == Outcome.OK && now.isGone()) {
        occasions.merge(isCompacted, 1L, Long::sum);
      }
    }
    Verdict lost = lost(history, shrinking, last);
    if (lost != null) {
      return lost;
    }
    return occasions.size() < shrinking.policies().size()
        ? new Verdict.Vacuous("")
        : new Verdict.Pass(occasions.values().stream().mapToLong(Long::longValue).sum());
  }

  /** The verdict if a replica has lost the last batch of a producer. */
  private static @Nullable Verdict lost(
      History history, Shrinking shrinking, TreeMap<String, Sequenced> last) {
    TreeMap<String, Integer> kept = new TreeMap<>();
    TreeMap<Integer, Remnant> scanned = new TreeMap<>();
    for (Remnant batch : history.all(Remnant.class)) {
      scanned.putIfAbsent(batch.broker(), batch);
      kept.merge(
          batch.broker() + name(batch.producer().toString(), batch.partition().toString()),
          batch.lastSequence(),
          Math::max);
    }
    for (Sequenced sequenced : last.values()) {
      String producer = name(sequenced.producer().toString(), sequenced.partition().toString());
      for (Remnant replica : scanned.values()) {
        int broker = replica.broker();
        if (sequenced.outcome() == Outcome.OK
            && shrinking.isCompacted(sequenced.partition())
            && kept.getOrDefault(broker + producer, -1) < sequenced.sequence()) {
          return Verdict.unfinished(
              "broker %d has no batch of this producer's last sequence".formatted(broker),
              sequenced,
              replica);
        }
      }
    }
    return null;
  }

  private static String name(String producer, String partition) {
    return " " + producer + " " + partition;
  }
}
