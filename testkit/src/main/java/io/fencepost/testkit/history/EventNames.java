package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.EndAsked;
import io.fencepost.testkit.history.Event.Ended;
import io.fencepost.testkit.history.Event.OffsetAsked;
import io.fencepost.testkit.history.Event.OffsetSeen;
import io.fencepost.testkit.history.Event.SendAsked;
import io.fencepost.testkit.history.Event.Sent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What kinds of events are called in files and reports. */
public final class EventNames {
  private EventNames() {}

  /** All kinds, in the order in which {@link Event} has them. */
  public static List<Class<? extends Event>> kinds() {
    List<Class<? extends Event>> kinds = new ArrayList<>();
    for (Class<?> kind : Event.class.getPermittedSubclasses()) {
      kinds.add(kind.asSubclass(Event.class));
    }
    return kinds;
  }

  /**
   * The name of a kind; of an operation it is the same when it is asked for and when it is done.
   */
  public static String of(Class<? extends Event> kind) {
    if (kind == SendAsked.class || kind == Sent.class) {
      return "send";
    }
    if (kind == EndAsked.class || kind == Ended.class) {
      return "end";
    }
    if (kind == OffsetAsked.class || kind == OffsetSeen.class) {
      return "committed_offset";
    }
    return snake(kind.getSimpleName());
  }

  /** Whether it says that an operation is about to be done. */
  public static boolean isInvocation(Class<? extends Event> kind) {
    return kind == SendAsked.class || kind == EndAsked.class || kind == OffsetAsked.class;
  }

  /** {@code lastStableOffset} as {@code last_stable_offset}. */
  public static String snake(String name) {
    return name.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
  }
}
