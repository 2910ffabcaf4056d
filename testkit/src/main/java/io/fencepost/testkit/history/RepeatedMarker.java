package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.MarkerLogged;
import io.fencepost.testkit.history.Event.TransactionalBatch;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;

/**
 * C8: a marker that is written again, after its answer was lost, ends nothing more. It is known
 * again by its epoch, which is its own from transaction version 2 on (KIP-890): markers with the
 * epoch of what they end cannot be told apart, and are left alone.
 */
public final class RepeatedMarker implements Check {
  @Override
  public String id() {
    return "C8";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(TransactionalBatch.class, MarkerLogged.class);
  }

  @Override
  public String occasions() {
    return "markers that were written twice";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, MarkerEffects.Effect> effects = new TreeMap<>();
    long occasions = 0;
    for (MarkerEffects.Effect effect : MarkerEffects.of(history)) {
      String name = effect.marker().partition() + " " + effect.marker().producer();
      MarkerEffects.Effect before = effects.get(name);
      if (before == null) {
        if (hasOwnEpoch(effect)) {
          effects.put(name, effect);
        }
        continue;
      }
      occasions++;
      MarkerEffects.Open first = Objects.requireNonNull(before.ended());
      MarkerEffects.Open second = effect.ended();
      if (before.marker().commit() != effect.marker().commit()) {
        return Verdict.broken(
            "both kinds of marker", first.first(), before.marker(), effect.marker());
      }
      if (second != null) {
        return Verdict.broken(
            "the same marker ended two things",
            first.first(),
            before.marker(),
            second.first(),
            effect.marker());
      }
    }
    return Verdict.passed(occasions);
  }

  private static boolean hasOwnEpoch(MarkerEffects.Effect effect) {
    MarkerEffects.Open ended = effect.ended();
    return ended != null && ended.first().producer().epoch() < effect.marker().producer().epoch();
  }
}
