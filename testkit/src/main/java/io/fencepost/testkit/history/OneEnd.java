package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.MarkerLogged;
import java.util.List;
import java.util.TreeMap;

/**
 * L4: a transaction is ended once in a partition and the same way in all, by a marker of its own
 * session: an epoch older than the data's ends nothing.
 */
public final class OneEnd implements Check {
  @Override
  public String id() {
    return "L4";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, MarkerLogged> byPartition = new TreeMap<>();
    TreeMap<String, MarkerLogged> byTransaction = new TreeMap<>();
    long occasions = 0;
    for (MarkerEffects.Effect effect : MarkerEffects.of(history)) {
      MarkerLogged marker = effect.marker();
      MarkerEffects.Open ended = effect.ended();
      if (ended == null) {
        continue;
      }
      occasions++;
      if (marker.producer().epoch() < ended.first().producer().epoch()) {
        return new Verdict.Fail(marker + " is older than what it ended: " + ended.first());
      }
      if (ended.transactions().size() > 1) {
        return new Verdict.Fail(marker + " ended more than one: " + ended.transactions());
      }
      for (String transaction : List.copyOf(ended.transactions())) {
        MarkerLogged other =
            byPartition.putIfAbsent(transaction + " " + marker.partition(), marker);
        if (other != null) {
          return new Verdict.Fail(
              "%s was ended twice: %s and %s".formatted(transaction, other, marker));
        }
        MarkerLogged first = byTransaction.putIfAbsent(transaction, marker);
        if (first != null && first.commit() != marker.commit()) {
          return new Verdict.Fail(
              "%s has both kinds: %s and %s".formatted(transaction, first, marker));
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
