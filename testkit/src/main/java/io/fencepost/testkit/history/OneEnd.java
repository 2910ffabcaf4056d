package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.MarkerLogged;
import io.fencepost.testkit.history.Event.TransactionalBatch;
import java.util.ArrayList;
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
  public List<Class<? extends Event>> needs() {
    return List.of(TransactionalBatch.class, MarkerLogged.class);
  }

  @Override
  public String occasions() {
    return "markers that ended something";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, MarkerEffects.Effect> byPartition = new TreeMap<>();
    TreeMap<String, MarkerEffects.Effect> byTransaction = new TreeMap<>();
    long occasions = 0;
    for (MarkerEffects.Effect effect : MarkerEffects.of(history)) {
      MarkerLogged marker = effect.marker();
      MarkerEffects.Open ended = effect.ended();
      if (ended == null) {
        continue;
      }
      occasions++;
      if (marker.producer().epoch() < ended.first().producer().epoch()) {
        return Verdict.broken("the marker is older than what it ended", ended.first(), marker);
      }
      if (ended.transactions().size() > 1) {
        List<Event> witness = new ArrayList<>(ended.all());
        witness.add(marker);
        return Verdict.broken(
            "one marker ended " + ended.transactions(), witness.toArray(Event[]::new));
      }
      for (String transaction : List.copyOf(ended.transactions())) {
        MarkerEffects.Effect other =
            byPartition.putIfAbsent(transaction + " " + marker.partition(), effect);
        if (other != null) {
          return Verdict.broken(
              transaction + " was ended twice", evidence(transaction, other, effect));
        }
        MarkerEffects.Effect first = byTransaction.putIfAbsent(transaction, effect);
        if (first != null && first.marker().commit() != marker.commit()) {
          return Verdict.broken(
              transaction + " was ended in both ways", evidence(transaction, first, effect));
        }
      }
    }
    return Verdict.passed(occasions);
  }

  private static Event[] evidence(String transaction, MarkerEffects.Effect... effects) {
    List<Event> events = new ArrayList<>();
    for (MarkerEffects.Effect effect : effects) {
      MarkerEffects.Open ended = effect.ended();
      if (ended != null) {
        events.add(ended.batchOf(transaction));
      }
      events.add(effect.marker());
    }
    return events.toArray(Event[]::new);
  }
}
