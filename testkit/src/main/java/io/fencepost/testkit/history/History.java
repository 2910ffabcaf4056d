package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Isolation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All events of a run in the order in which they were seen. Each has a line number: that of the
 * file that it was read from, else its place, from 1; and a time, if whoever saw it wrote one down.
 * Not thread-safe.
 */
public final class History {
  /** What {@link #atMs} gives where no time is known. */
  public static final long NO_TIME = -1;

  private final List<Event> events = new ArrayList<>();
  private long[] lines = new long[16];
  private long[] times = new long[16];
  private final Map<Class<?>, List<Event>> byKind = new LinkedHashMap<>();
  private @Nullable String gap;
  private @Nullable Transactions transactions;
  private @Nullable Lanes lanes;
  private final EnumMap<Isolation, ReaderViews> views = new EnumMap<>(Isolation.class);

  public void add(Event event) {
    add(event, events.size() + 1L);
  }

  /** Adds an event that stands in this line of a file. */
  public void add(Event event, long line) {
    add(event, line, NO_TIME);
  }

  /** Adds an event that was seen at this time, in milliseconds since the epoch. */
  public void addAt(Event event, long atMs) {
    add(event, events.size() + 1L, atMs);
  }

  /** The same, with the line of a file where it stands. */
  public void add(Event event, long line, long atMs) {
    if (events.size() == lines.length) {
      lines = Arrays.copyOf(lines, lines.length + lines.length / 2);
      times = Arrays.copyOf(times, lines.length);
    }
    lines[events.size()] = line;
    times[events.size()] = atMs;
    events.add(event);
    byKind.computeIfAbsent(event.getClass(), k -> new ArrayList<>()).add(event);
    transactions = null;
    lanes = null;
    views.clear();
  }

  public List<Event> events() {
    return Collections.unmodifiableList(events);
  }

  /**
   * When the event at this place, from 0, was seen, in milliseconds since the epoch by the clock of
   * who wrote it down; {@link #NO_TIME} if it does not say. For people: no check looks at it.
   */
  public long atMs(int place) {
    return times[place];
  }

  /** All events of one kind, in order. */
  @SuppressWarnings("unchecked") // They are kept by their class.
  public <E extends Event> List<E> all(Class<E> kind) {
    return (List<E>) Collections.unmodifiableList(byKind.getOrDefault(kind, List.of()));
  }

  /** Whether there is an event of that kind. */
  boolean has(Class<? extends Event> kind) {
    return byKind.containsKey(kind);
  }

  /** An event and the line where it stands. */
  public record Numbered(long line, Event event) {}

  /** Where these very events stand, in order; one that was added twice may be asked for twice. */
  public List<Numbered> numbered(List<Event> wanted) {
    List<Event> left = new ArrayList<>(wanted);
    List<Numbered> found = new ArrayList<>();
    for (int i = 0; i < events.size() && !left.isEmpty(); i++) {
      Event event = events.get(i);
      for (int k = 0; k < left.size(); k++) {
        if (isSame(left.get(k), event)) {
          left.remove(k);
          found.add(new Numbered(lines[i], event));
          break;
        }
      }
    }
    return found;
  }

  @SuppressWarnings("ReferenceEquality") // Equal events may stand in several lines.
  private static boolean isSame(Event one, Event other) {
    return one == other;
  }

  /** Notes that events are missing, and why; the first reason stays. */
  public void noteGap(String reason) {
    if (gap == null) {
      gap = reason;
    }
  }

  /** Why events may be missing; null if all were read. */
  public @Nullable String gap() {
    return gap;
  }

  /** Kept until the next event is added: many checks ask for them. */
  public Transactions transactions() {
    Transactions known = transactions;
    if (known == null) {
      known = Transactions.of(this);
      transactions = known;
    }
    return known;
  }

  /** What its jobs made of what; kept as well. */
  Lanes lanes() {
    Lanes known = lanes;
    if (known == null) {
      known = Lanes.of(this);
      lanes = known;
    }
    return known;
  }

  /** What readers of that isolation saw; kept as well. */
  ReaderViews views(Isolation isolation) {
    return views.computeIfAbsent(isolation, level -> ReaderViews.of(this, level));
  }

  /** Over all events; two runs of one seed have the same. */
  public long hash() {
    long hash = 0xcbf29ce484222325L;
    for (Event event : events) {
      String text = event.toString();
      for (int i = 0; i < text.length(); i++) {
        hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
      }
    }
    return hash;
  }
}
