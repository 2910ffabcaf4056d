package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Ended;
import io.fencepost.testkit.history.Event.OffsetAsked;
import io.fencepost.testkit.history.Event.OffsetSeen;
import io.fencepost.testkit.history.Event.Staged;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * P2 and P3: a committed offset comes from a transaction that may have committed, is at least that
 * of each transaction known to have committed before it was asked for, and never moves back.
 */
public final class StagedOffsets implements Check {
  @Override
  public String id() {
    return "P2";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Staged.class, OffsetSeen.class);
  }

  @Override
  public String occasions() {
    return "committed offsets that were read";
  }

  /** An offset below which nothing may be answered any more, and why. */
  private record Floor(long offset, List<Event> why) {
    private static final Floor NONE = new Floor(-1, List.of());

    private static Floor higher(Floor one, Floor other) {
      return one.offset >= other.offset ? one : other;
    }
  }

  @Override
  public Verdict check(History history) {
    Transactions transactions = history.transactions();
    LinkedHashMap<String, List<Staged>> stagedBy = new LinkedHashMap<>();
    LinkedHashMap<String, LinkedHashMap<String, Staged>> stagersOf = new LinkedHashMap<>();
    LinkedHashMap<String, Floor> floor = new LinkedHashMap<>();
    LinkedHashMap<String, Floor> floorWhenAsked = new LinkedHashMap<>();
    long occasions = 0;
    for (Event event : history.events()) {
      if (event instanceof Staged it) {
        stagedBy.computeIfAbsent(it.transaction(), t -> new ArrayList<>(1)).add(it);
        stagersOf
            .computeIfAbsent(
                key(it.group(), it.partition()) + "@" + it.offset(), o -> new LinkedHashMap<>())
            .putIfAbsent(it.transaction(), it);
      } else if (event instanceof Ended it && it.commit() && it.outcome() == Outcome.OK) {
        for (Staged staged : stagedBy.getOrDefault(it.transaction(), List.of())) {
          Floor next = new Floor(staged.offset(), List.of(staged, it));
          floor.merge(key(staged.group(), staged.partition()), next, Floor::higher);
        }
      } else if (event instanceof OffsetAsked it) {
        String key = key(it.group(), it.partition());
        floorWhenAsked.put(key, floor.getOrDefault(key, Floor.NONE));
      } else if (event instanceof OffsetSeen it) {
        String key = key(it.group(), it.partition());
        Floor asked = floorWhenAsked.remove(key);
        Floor least = asked == null ? floor.getOrDefault(key, Floor.NONE) : asked;
        if (it.offset() < least.offset) {
          return Verdict.broken(
              "offset %d had been committed before".formatted(least.offset), with(least.why, it));
        }
        if (it.offset() >= 0) {
          occasions++;
          Verdict aborted = aborted(transactions, stagersOf.get(key + "@" + it.offset()), it);
          if (aborted != null) {
            return aborted;
          }
          floor.merge(key, new Floor(it.offset(), List.of(it)), Floor::higher);
        }
      }
    }
    return Verdict.passed(occasions);
  }

  /** The verdict if all that staged what is seen were aborted. */
  private static @Nullable Verdict aborted(
      Transactions transactions, @Nullable LinkedHashMap<String, Staged> stagers, OffsetSeen seen) {
    if (stagers == null
        || !stagers.keySet().stream()
            .allMatch(name -> transactions.fate(name) == Transactions.Fate.ABORTED)) {
      return null;
    }
    List<Event> witness = new ArrayList<>();
    stagers.forEach((name, staged) -> witness.addAll(List.of(transactions.withEnd(name, staged))));
    return Verdict.missing(
        "whoever staged it was aborted, and it was committed", with(witness, seen));
  }

  private static Event[] with(List<Event> events, Event last) {
    List<Event> all = new ArrayList<>(events);
    all.add(last);
    return all.toArray(Event[]::new);
  }

  private static String key(String group, TopicPartition partition) {
    return group + " " + partition;
  }
}
