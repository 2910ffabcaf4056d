package io.fencepost.txn.group.api;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/**
 * A gate: collects the parts of an answer, which arrive from any thread, and passes them on, in
 * their places, when the last one is there.
 *
 * @param <T> a part
 */
final class Gather<T> {
  private final List<T> parts;
  private final Consumer<List<T>> complete;
  private int missing;

  /**
   * @param count of parts, at least 1
   */
  @SuppressWarnings("NullAway") // The places are filled before anybody sees them.
  Gather(int count, Consumer<List<T>> complete) {
    this.parts = new ArrayList<>(Collections.nCopies(count, null));
    this.complete = complete;
    this.missing = count;
  }

  void put(int place, T part) {
    synchronized (this) {
      parts.set(place, part);
      missing--;
      if (missing > 0) {
        return;
      }
    }
    complete.accept(parts);
  }
}
