package io.fencepost.testkit.report;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.history.Transactions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Transactions as bars in a lane per transactional id, and what was broken meanwhile.
 *
 * @param faults of the cluster and the jobs, and troubles
 * @param transactionCount how many there are; those that are not drawn were committed, if there was
 *     room for the others
 */
record Timeline(List<Lane> lanes, List<Note> faults, int transactionCount, int laneCount) {
  /** The lane of records that are sent without a transaction. */
  static final String PLAIN = "no transaction";

  /** How a transaction ended, as far as the history says. */
  enum State {
    COMMITTED,
    ABORTED,
    /** Its commit was asked for, and not answered. */
    UNKNOWN,
    /** Nobody asked for its end. */
    OPEN;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One transaction.
   *
   * @param endAsked where its end was asked for; -1 if it was not
   * @param sends where the first of its records were sent
   */
  record Bar(
      String transaction,
      State state,
      long begin,
      long endAsked,
      long end,
      List<Long> sends,
      int sendCount,
      boolean isWitness) {}

  /** A mark at its place. */
  record Note(long at, Mark.Kind kind, String text) {}

  /** What one client did under its transactional id. */
  record Lane(String name, List<Bar> bars, List<Note> notes) {}

  /** How much is drawn. */
  record Limits(int lanes, int bars, int sends) {}

  static Timeline of(Run run, Axis axis, SortedSet<String> witnesses, Limits limits) {
    Gathering gathering = new Gathering();
    List<Event> events = run.history().events();
    for (int i = 0; i < events.size(); i++) {
      gathering.take(events.get(i), axis.at(i));
    }
    run.marks()
        .forEach(
            mark ->
                gathering.faults.add(
                    new Note(Math.max(0, axis.at(mark)), mark.kind(), mark.text())));
    gathering.faults.sort(java.util.Comparator.comparingLong(Note::at));
    return gathering.timeline(run.history().transactions(), witnesses, limits);
  }

  /** A transaction while its events are gathered. */
  private static final class Open {
    final long begin;
    long endAsked = -1;
    long end;
    boolean isEnded;
    int sendCount;
    final List<Long> sends = new ArrayList<>(4);

    Open(long begin) {
      this.begin = begin;
      this.end = begin;
    }
  }

  private static final class Gathering {
    private static final int SENDS_MAX = 40;

    final Map<String, Open> transactions = new LinkedHashMap<>();
    final Map<String, List<Note>> notes = new LinkedHashMap<>();
    final List<Note> faults = new ArrayList<>();

    void take(Event event, long at) {
      if (event instanceof Event.SendAsked it) {
        sent(it.transaction(), at);
      } else if (event instanceof Event.Sent it) {
        touch(it.transaction(), at);
        if (Transactions.isPlain(it.transaction())) {
          touch(it.transaction(), at).isEnded = true;
        }
      } else if (event instanceof Event.Staged it) {
        touch(it.transaction(), at);
      } else if (event instanceof Event.Took it) {
        touch(it.transaction(), at);
      } else if (event instanceof Event.EndAsked it) {
        touch(it.transaction(), at).endAsked = at;
      } else if (event instanceof Event.Ended it) {
        touch(it.transaction(), at).isEnded = true;
      } else {
        takeMark(event, at);
      }
    }

    private void takeMark(Event event, long at) {
      if (event instanceof Event.Opened it) {
        note(it.session(), new Note(at, Mark.Kind.SESSION, "session " + it.session() + " begins"));
      } else if (event instanceof Event.Late it) {
        note(it.session(), refusal(at, it.outcome(), it.session() + ": " + it.request(), it.why()));
      } else if (event instanceof Event.StaleStaged it) {
        note(
            it.session(),
            refusal(at, it.outcome(), it.session() + ": offsets of a stale member", it.why()));
      } else if (event instanceof Event.Overdue it) {
        note(
            Transactions.sessionOf(it.transaction()),
            refusal(at, it.outcome(), it.transaction() + ": end after its timeout", it.why()));
      } else if (event instanceof Event.Fault it) {
        faults.add(new Note(at, Mark.Kind.FAULT, it.what()));
      } else if (event instanceof Event.Repair it) {
        faults.add(new Note(at, Mark.Kind.REPAIR, it.what()));
      } else if (event instanceof Event.Trouble it) {
        faults.add(new Note(at, Mark.Kind.TROUBLE, it.what()));
      }
    }

    private static Note refusal(long at, Outcome outcome, String what, String why) {
      String because = why.isEmpty() ? "" : " (" + why + ")";
      return switch (outcome) {
        case FAILED -> new Note(at, Mark.Kind.FENCED, what + " was refused" + because);
        case OK -> new Note(at, Mark.Kind.LET_THROUGH, what + " was let through" + because);
        case UNKNOWN -> new Note(at, Mark.Kind.FENCED, what + " got no answer" + because);
      };
    }

    private void note(String session, Note note) {
      notes
          .computeIfAbsent(Transactions.clientOf(session + "/"), lane -> new ArrayList<>())
          .add(note);
    }

    private void sent(String transaction, long at) {
      Open open = touch(transaction, at);
      open.sendCount++;
      if (open.sends.size() < SENDS_MAX) {
        open.sends.add(at);
      }
    }

    private Open touch(String transaction, long at) {
      Open open = transactions.computeIfAbsent(transaction, name -> new Open(at));
      // An answer to a send may come after the end was answered.
      open.end = open.isEnded ? open.end : at;
      return open;
    }

    Timeline timeline(Transactions known, SortedSet<String> witnesses, Limits limits) {
      Map<String, List<Bar>> bars = new LinkedHashMap<>();
      notes.keySet().forEach(lane -> bars.put(lane, new ArrayList<>()));
      Sampling sampling = sampling(known, witnesses, limits);
      transactions.forEach(
          (name, open) -> {
            Bar bar = bar(name, open, known, witnesses.contains(name));
            List<Bar> lane = bars.computeIfAbsent(lane(name), key -> new ArrayList<>());
            if (sampling.takes(bar)) {
              lane.add(sampling.trimmed(bar));
            }
          });
      List<Lane> lanes = new ArrayList<>();
      bars.forEach(
          (name, all) -> {
            if (lanes.size() < limits.lanes()) {
              lanes.add(new Lane(name, all, notes.getOrDefault(name, List.of())));
            }
          });
      return new Timeline(lanes, List.copyOf(faults), transactions.size(), bars.size());
    }

    private Sampling sampling(Transactions known, SortedSet<String> witnesses, Limits limits) {
      int special = 0;
      for (Map.Entry<String, Open> entry : transactions.entrySet()) {
        String name = entry.getKey();
        if (Sampling.isSpecial(bar(name, entry.getValue(), known, witnesses.contains(name)))) {
          special++;
        }
      }
      return new Sampling(limits, special, transactions.size() - special);
    }

    private static String lane(String transaction) {
      return Transactions.isPlain(transaction) ? PLAIN : Transactions.clientOf(transaction);
    }

    private static Bar bar(String name, Open open, Transactions known, boolean isWitness) {
      return new Bar(
          name,
          state(open, known.fate(name)),
          open.begin,
          open.endAsked,
          open.end,
          open.sends,
          open.sendCount,
          isWitness);
    }

    private static State state(Open open, Transactions.@Nullable Fate fate) {
      if (fate == Transactions.Fate.COMMITTED) {
        return State.COMMITTED;
      }
      if (fate == Transactions.Fate.UNKNOWN) {
        return State.UNKNOWN;
      }
      return open.isEnded || open.endAsked >= 0 ? State.ABORTED : State.OPEN;
    }
  }

  /** Of what is too much, evenly spread ones; of those that were not committed all, if they fit. */
  private static final class Sampling {
    private final double specialShare;
    private final double plainShare;
    private int sendsLeft;
    private double special;
    private double plain;

    Sampling(Limits limits, int specialCount, int plainCount) {
      specialShare = Math.min(1, limits.bars() / (double) Math.max(1, specialCount));
      int room = Math.max(0, limits.bars() - specialCount);
      plainShare = Math.min(1, room / (double) Math.max(1, plainCount));
      sendsLeft = limits.sends();
    }

    static boolean isSpecial(Bar bar) {
      return bar.isWitness || bar.state != State.COMMITTED;
    }

    boolean takes(Bar bar) {
      if (bar.isWitness) {
        return true;
      }
      double share = isSpecial(bar) ? specialShare : plainShare;
      double before = isSpecial(bar) ? special : plain;
      double after = before + share;
      if (isSpecial(bar)) {
        special = after;
      } else {
        plain = after;
      }
      return share == 1 || Math.floor(after) > Math.floor(before);
    }

    Bar trimmed(Bar bar) {
      List<Long> kept = bar.sends.size() <= sendsLeft ? bar.sends : List.of();
      sendsLeft -= kept.size();
      return new Bar(
          bar.transaction,
          bar.state,
          bar.begin,
          bar.endAsked,
          bar.end,
          List.copyOf(kept),
          bar.sendCount,
          bar.isWitness);
    }
  }
}
