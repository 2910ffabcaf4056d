package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Check;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.history.Verification;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A history that several threads write, and what went wrong in them. Thread-safe. */
public final class Recorder {
  private final History history = new History();
  private final Consumer<Event> sink;
  private final Map<Class<?>, Integer> counts = new HashMap<>();
  private final List<String> troubles = new ArrayList<>();

  /** A value is read by many: it is kept once. */
  private final Map<String, String> values = new HashMap<>();

  public Recorder() {
    this(event -> {});
  }

  /**
   * Hands each event on as well.
   *
   * @param sink hears of them one after the other, in the order of the history
   */
  public Recorder(Consumer<Event> sink) {
    this.sink = sink;
  }

  public synchronized void add(Event event) {
    sink.accept(event);
    history.addAt(
        event instanceof Event.Read read ? shared(read) : event, System.currentTimeMillis());
    counts.merge(event.getClass(), 1, Integer::sum);
  }

  private Event shared(Event.Read read) {
    String value = values.computeIfAbsent(read.value(), v -> v);
    return new Event.Read(
        read.reader(), read.isolation(), read.partition(), read.offset(), value, read.content());
  }

  /** Something that no client should meet. */
  public synchronized void trouble(String what) {
    troubles.add(what);
    add(new Event.Trouble(what));
  }

  /** A thread that is not started yet; what it dies of is a trouble. */
  Thread thread(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler((dead, error) -> trouble(name + ": " + error));
    return thread;
  }

  public synchronized List<String> troubles() {
    return List.copyOf(troubles);
  }

  public synchronized int count(Class<? extends Event> kind) {
    return counts.getOrDefault(kind, 0);
  }

  /** All of it, when nobody writes any more. */
  public synchronized History history() {
    return history;
  }

  /** What the checks say of all that was written down so far. */
  public synchronized Map<String, Verdict> verdicts(List<Check> checks) {
    return Verification.verdicts(history, checks);
  }
}
