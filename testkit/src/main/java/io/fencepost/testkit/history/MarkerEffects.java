package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.MarkerLogged;
import io.fencepost.testkit.history.Event.TransactionalBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What each marker of a scanned log ended: the logs replayed as readers see them. */
final class MarkerEffects {
  /**
   * What a producer has open in a partition.
   *
   * @param transactions as far as its records say
   */
  record Open(TransactionalBatch first, TreeSet<String> transactions) {}

  /**
   * One marker.
   *
   * @param ended what it ended; null if nothing of its producer was open
   */
  record Effect(MarkerLogged marker, @Nullable Open ended) {}

  private final TreeMap<String, Open> open = new TreeMap<>();
  private final List<Effect> effects = new ArrayList<>();

  private MarkerEffects() {}

  static List<Effect> of(History history) {
    MarkerEffects replay = new MarkerEffects();
    for (Event event : history.events()) {
      if (event instanceof TransactionalBatch it) {
        String key = it.partition() + " " + it.producer().producerId();
        replay
            .open
            .computeIfAbsent(key, k -> new Open(it, new TreeSet<>()))
            .transactions
            .addAll(it.transactions());
      } else if (event instanceof MarkerLogged it) {
        String key = it.partition() + " " + it.producer().producerId();
        replay.effects.add(new Effect(it, replay.open.remove(key)));
      }
    }
    return replay.effects;
  }
}
