package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Ended;
import io.fencepost.testkit.history.Event.MarkerLogged;
import java.util.TreeMap;

/** C9: an end that was answered, after however many retries, is the one that the logs hold. */
public final class EndAgreement implements Check {
  @Override
  public String id() {
    return "C9";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, MarkerLogged> logged = new TreeMap<>();
    for (MarkerEffects.Effect effect : MarkerEffects.of(history)) {
      MarkerEffects.Open ended = effect.ended();
      if (ended != null) {
        ended.transactions().forEach(name -> logged.put(name, effect.marker()));
      }
    }
    long occasions = 0;
    for (Ended ended : history.all(Ended.class)) {
      MarkerLogged marker = logged.get(ended.transaction());
      if (ended.outcome() != Outcome.OK || marker == null) {
        continue;
      }
      occasions++;
      if (marker.commit() != ended.commit()) {
        return new Verdict.Fail("the answer was " + ended + ", the log holds " + marker);
      }
    }
    return Verdict.passed(occasions);
  }
}
