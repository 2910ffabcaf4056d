package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.EndAsked;
import io.fencepost.testkit.history.Event.SendAsked;
import io.fencepost.testkit.history.Event.Sent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A value or a transaction whose name was used again. Checks take two transactions for one, and
 * what they say of it is worth nothing; two records they tell apart by where they stand, if that is
 * known.
 *
 * @param events the first and the next that has it
 */
public record Reuse(String sentence, List<Event> events) {
  /** The first; null if there is none. */
  public static @Nullable Reuse of(History history) {
    Reuse value = first(history.all(SendAsked.class), SendAsked::value, "the value");
    if (value == null) {
      value = first(accepted(history), Sent::value, "the value");
    }
    return value == null
        ? first(history.all(EndAsked.class), EndAsked::transaction, "the transaction")
        : value;
  }

  private static List<Sent> accepted(History history) {
    return history.all(Sent.class).stream().filter(sent -> sent.outcome() == Outcome.OK).toList();
  }

  private static <E extends Event> @Nullable Reuse first(
      List<E> events, Function<E, String> name, String what) {
    Map<String, E> used = new LinkedHashMap<>();
    for (E event : events) {
      E before = used.putIfAbsent(name.apply(event), event);
      if (before != null) {
        return new Reuse(
            what + " is used twice, so what is said of it may be wrong", List.of(before, event));
      }
    }
    return null;
  }
}
