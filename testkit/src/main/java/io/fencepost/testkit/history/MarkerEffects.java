package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.MarkerLogged;
import io.fencepost.testkit.history.Event.TransactionalBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What each marker of a scanned log ended: the logs replayed as readers see them. */
final class MarkerEffects {
  /**
   * What a producer has open in a partition.
   *
   * @param batches the first of each transaction, as far as records say which it is
   */
  record Open(TransactionalBatch first, TreeMap<String, TransactionalBatch> batches) {
    SortedSet<String> transactions() {
      return batches.navigableKeySet();
    }

    TransactionalBatch batchOf(String transaction) {
      return batches.getOrDefault(transaction, first);
    }

    /** The batches that show all these transactions, each once. */
    List<TransactionalBatch> all() {
      return batches.values().stream().distinct().toList();
    }
  }

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
        Open now = replay.open.computeIfAbsent(key, k -> new Open(it, new TreeMap<>()));
        it.transactions().forEach(name -> now.batches.putIfAbsent(name, it));
      } else if (event instanceof MarkerLogged it) {
        String key = it.partition() + " " + it.producer().producerId();
        replay.effects.add(new Effect(it, replay.open.remove(key)));
      }
    }
    return replay.effects;
  }
}
