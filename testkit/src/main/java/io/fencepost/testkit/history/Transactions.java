package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.EndAsked;
import io.fencepost.testkit.history.Event.Ended;
import io.fencepost.testkit.history.Event.Read;
import io.fencepost.testkit.history.Event.SendAsked;
import io.fencepost.testkit.history.Event.Sent;
import io.fencepost.testkit.history.Event.Took;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The transactions of a history: what was sent in each, and what is known of its end. */
public final class Transactions {
  /** What the history allows to say about the end of a transaction. */
  public enum Fate {
    COMMITTED,
    ABORTED,
    /** A commit was asked for and its outcome is not known. */
    UNKNOWN
  }

  private final Map<String, List<Sent>> sent = new LinkedHashMap<>();
  private final Map<String, Fate> fates = new LinkedHashMap<>();
  private final TreeMap<String, Event> firstTo = new TreeMap<>();
  private final Map<String, Ended> ends = new LinkedHashMap<>();

  /** By value: a {@link Sent}, or a {@link SendAsked} if its answer never came. */
  private final Map<String, Event> origins = new LinkedHashMap<>();

  /** By value: of those that were sent more than once, all that were acknowledged. */
  private final Map<String, List<Sent>> repeated = new LinkedHashMap<>();

  private Transactions() {}

  static Transactions of(History history) {
    Transactions transactions = new Transactions();
    LinkedHashSet<String> commitAsked = new LinkedHashSet<>();
    for (Event event : history.events()) {
      if (event instanceof SendAsked it) {
        transactions.sent.computeIfAbsent(it.transaction(), t -> new ArrayList<>());
        transactions.noteAsked(it);
        transactions.firstTo.putIfAbsent(it.partition().topic(), it);
        if (isPlain(it.transaction())) {
          commitAsked.add(it.transaction());
        }
      } else if (event instanceof Sent it) {
        transactions.sent.computeIfAbsent(it.transaction(), t -> new ArrayList<>()).add(it);
        transactions.noteAnswered(it);
        transactions.firstTo.putIfAbsent(it.partition().topic(), it);
        if (isPlain(it.transaction())) {
          transactions.endPlain(it);
        }
      } else if (event instanceof EndAsked it && it.commit()) {
        commitAsked.add(it.transaction());
      } else if (event instanceof Ended it) {
        transactions.end(it);
      }
    }
    for (String name : commitAsked) {
      transactions.fates.putIfAbsent(name, Fate.UNKNOWN);
    }
    return transactions;
  }

  private void noteAsked(SendAsked asked) {
    Event before = origins.putIfAbsent(asked.value(), asked);
    if (before != null) {
      repeated(before, asked.value());
    }
  }

  private void noteAnswered(Sent sent) {
    Event before = origins.put(sent.value(), sent);
    boolean isOther =
        before instanceof SendAsked it && !it.transaction().equals(sent.transaction());
    boolean isNext =
        before instanceof Sent it
            && (it.outcome() == Outcome.OK || !it.transaction().equals(sent.transaction()));
    if (before != null && (isOther || isNext)) {
      repeated(before, sent.value());
    }
    List<Sent> all = repeated.get(sent.value());
    if (all != null && sent.outcome() == Outcome.OK) {
      all.add(sent);
    }
  }

  private void repeated(Event before, String value) {
    repeated.computeIfAbsent(
        value,
        v -> {
          List<Sent> all = new ArrayList<>();
          if (before instanceof Sent it && it.outcome() == Outcome.OK) {
            all.add(it);
          }
          return all;
        });
  }

  private void end(Ended ended) {
    Fate fate =
        switch (ended.outcome()) {
          case OK -> ended.commit() ? Fate.COMMITTED : Fate.ABORTED;
          case FAILED -> Fate.ABORTED;
          case UNKNOWN -> ended.commit() ? null : Fate.ABORTED;
        };
    if (fate != null) {
      fates.put(ended.transaction(), fate);
      ends.put(ended.transaction(), ended);
    }
  }

  private void endPlain(Sent only) {
    fates.put(
        only.transaction(),
        switch (only.outcome()) {
          case OK -> Fate.COMMITTED;
          case FAILED -> Fate.ABORTED;
          case UNKNOWN -> Fate.UNKNOWN;
        });
  }

  /** Whether it stands for a record that was sent without a transaction. */
  public static boolean isPlain(String transaction) {
    return transaction.startsWith(Event.PLAIN_PREFIX);
  }

  /** Whose transaction it is: names are {@code session/number}. */
  public static String sessionOf(String transaction) {
    int slash = transaction.lastIndexOf('/');
    return slash < 0 ? transaction : transaction.substring(0, slash);
  }

  /** Whose session it was: sessions are {@code client.number}. */
  public static String clientOf(String transaction) {
    String session = sessionOf(transaction);
    int dot = session.lastIndexOf('.');
    return dot < 0 ? session : session.substring(0, dot);
  }

  Iterable<String> names() {
    return sent.keySet();
  }

  /** The first record that someone in the history sent to this topic; null if nobody did. */
  @Nullable Event firstTo(String topic) {
    return firstTo.get(topic);
  }

  boolean someAborted() {
    return sent.keySet().stream().anyMatch(name -> fate(name) == Fate.ABORTED);
  }

  /** All records of the transaction whose sending was answered or given up on. */
  public List<Sent> sentIn(String transaction) {
    return sent.getOrDefault(transaction, List.of());
  }

  /** A transaction whose commit nobody asked for counts as aborted: its timeout ends it. */
  public Fate fate(String transaction) {
    return fates.getOrDefault(transaction, Fate.ABORTED);
  }

  /** The event that decided its fate, after others; that alone if nothing did. */
  Event[] withEnd(String transaction, Event... others) {
    List<Event> events = new ArrayList<>(List.of(others));
    Ended end = ends.get(transaction);
    if (end != null) {
      events.add(end);
    }
    return events.toArray(Event[]::new);
  }

  /** Whose record was read or taken; null as for {@link #originOf}. */
  public @Nullable String transactionOf(Event event) {
    Event origin = originOf(event);
    if (origin instanceof Sent it) {
      return it.transaction();
    }
    return origin instanceof SendAsked it ? it.transaction() : null;
  }

  /**
   * The event by which that was sent which was read or taken; null for other events, if nobody sent
   * it, and if its value was sent more than once and it isn't known which of these stands there.
   */
  public @Nullable Event originOf(Event event) {
    if (event instanceof Read it) {
      return originAt(it.partition(), it.offset(), it.value());
    }
    return event instanceof Took it ? originAt(it.partition(), it.offset(), it.value()) : null;
  }

  private @Nullable Event originAt(TopicPartition partition, long offset, String value) {
    List<Sent> all = repeated.get(value);
    if (all == null) {
      return origins.get(value);
    }
    List<Sent> there =
        all.stream()
            .filter(sent -> sent.partition().equals(partition) && sent.offset() == offset)
            .toList();
    return there.size() == 1 ? there.get(0) : null;
  }

  /** Whether it was sent more than once, so that it may stand at several places. */
  boolean isRepeated(String value) {
    return repeated.containsKey(value);
  }
}
