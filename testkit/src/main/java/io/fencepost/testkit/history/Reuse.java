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
  private static final String VALUE =
      "the value is used twice, so V4 says nothing of it, and others only as far as offsets tell";
  private static final String TRANSACTION =
      "the transaction is used twice, so what is said of it may be wrong";

  /** The first; null if there is none. */
  public static @Nullable Reuse of(History history) {
    Reuse value = first(history.all(SendAsked.class), SendAsked::value, VALUE);
    if (value == null) {
      value = first(accepted(history), Sent::value, VALUE);
    }
    return value == null
        ? first(history.all(EndAsked.class), EndAsked::transaction, TRANSACTION)
        : value;
  }

  private static List<Sent> accepted(History history) {
    return history.all(Sent.class).stream().filter(sent -> sent.outcome() == Outcome.OK).toList();
  }

  private static <E extends Event> @Nullable Reuse first(
      List<E> events, Function<E, String> name, String sentence) {
    Map<String, E> used = new LinkedHashMap<>();
    for (E event : events) {
      E before = used.putIfAbsent(name.apply(event), event);
      if (before != null) {
        return new Reuse(sentence, List.of(before, event));
      }
    }
    return null;
  }
}
