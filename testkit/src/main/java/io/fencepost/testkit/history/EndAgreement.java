package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Ended;
import io.fencepost.testkit.history.Event.MarkerLogged;
import io.fencepost.testkit.history.Event.TransactionalBatch;
import java.util.List;
import java.util.TreeMap;

/** C9: an end that was answered, after however many retries, is the one that the logs hold. */
public final class EndAgreement implements Check {
  @Override
  public String id() {
    return "C9";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Ended.class, TransactionalBatch.class, MarkerLogged.class);
  }

  @Override
  public String occasions() {
    return "ends that were answered and whose marker is in the log";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, MarkerEffects.Effect> logged = new TreeMap<>();
    for (MarkerEffects.Effect effect : MarkerEffects.of(history)) {
      MarkerEffects.Open ended = effect.ended();
      if (ended != null) {
        ended.transactions().forEach(name -> logged.put(name, effect));
      }
    }
    long occasions = 0;
    for (Ended ended : history.all(Ended.class)) {
      MarkerEffects.Effect effect = logged.get(ended.transaction());
      if (ended.outcome() != Outcome.OK || effect == null) {
        continue;
      }
      occasions++;
      MarkerEffects.Open open = effect.ended();
      if (open != null && effect.marker().commit() != ended.commit()) {
        return Verdict.broken(
            "its answer was %s, and the log holds %s"
                .formatted(word(ended.commit()), word(effect.marker().commit())),
            ended,
            open.batchOf(ended.transaction()),
            effect.marker());
      }
    }
    return Verdict.passed(occasions);
  }

  private static String word(boolean commit) {
    return commit ? "committed" : "aborted";
  }
}
