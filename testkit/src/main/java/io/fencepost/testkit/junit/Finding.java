package io.fencepost.testkit.junit;

import io.fencepost.testkit.history.Event;
import java.util.List;

/**
 * Something that is wrong in a run.
 *
 * @param id of the invariant
 * @param sentence may have several lines
 * @param events that show it
 */
record Finding(String id, String sentence, List<Event> events) {
  static Finding of(String id, String sentence, Event... events) {
    return new Finding(id, sentence, List.of(events));
  }

  @Override
  public String toString() {
    return id + " " + sentence;
  }
}
