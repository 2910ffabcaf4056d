package io.fencepost.testkit.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** All events of a run in the order in which they were seen. Not thread-safe. */
public final class History {
  private final List<Event> events = new ArrayList<>();
  private long hash = 0xcbf29ce484222325L;

  public void add(Event event) {
    events.add(event);
    String text = event.toString();
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
    }
  }

  public List<Event> events() {
    return Collections.unmodifiableList(events);
  }

  /** All events of one kind, in order. */
  public <E extends Event> List<E> all(Class<E> kind) {
    return events.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** Over all events; two runs of one seed have the same. */
  public long hash() {
    return hash;
  }
}
