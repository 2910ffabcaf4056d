package io.fencepost.testkit.history;

import java.util.TreeMap;

/** C8: a marker that is written again, after its answer was lost, ends nothing more. */
public final class RepeatedMarker implements Check {
  @Override
  public String id() {
    return "C8";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, MarkerEffects.Effect> first = new TreeMap<>();
    long occasions = 0;
    for (MarkerEffects.Effect effect : MarkerEffects.of(history)) {
      String name = effect.marker().partition() + " " + effect.marker().producer();
      MarkerEffects.Effect before = first.putIfAbsent(name, effect);
      if (before == null) {
        continue;
      }
      occasions++;
      if (before.marker().commit() != effect.marker().commit()) {
        return new Verdict.Fail("both kinds: " + before.marker() + " and " + effect.marker());
      }
      if (before.ended() != null && effect.ended() != null) {
        return new Verdict.Fail(
            "the same marker ended %s and then %s".formatted(before.ended(), effect.ended()));
      }
    }
    return Verdict.passed(occasions);
  }
}
