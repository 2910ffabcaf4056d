package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Bounds;
import io.fencepost.testkit.history.Event.EndAsked;
import io.fencepost.testkit.history.Event.Sent;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A part of L7: the log's start stays below the last stable offset, and below what a transaction
 * wrote that is still open: one whose commit is asked for later and succeeds. Counts moves of the
 * start.
 */
final class StartBelowStable implements Check {
  @Override
  public String id() {
    return "L7";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Bounds.class);
  }

  @Override
  public String occasions() {
    return "moves of the start of a log";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, TreeMap<TopicPartition, Sent>> firsts = firsts(history);
    TreeMap<TopicPartition, Bounds> highest = new TreeMap<>();
    long occasions = 0;
    for (Event event : history.events()) {
      if (event instanceof Bounds it) {
        if (it.logStartOffset() > it.lastStableOffset()
            || it.lastStableOffset() > it.highWatermark()) {
          return Verdict.broken("the log was cut above what is stable", it);
        }
        Bounds before = highest.get(it.partition());
        if (it.logStartOffset() > (before == null ? 0 : before.logStartOffset())) {
          highest.put(it.partition(), it);
          occasions++;
        }
      } else if (event instanceof EndAsked it && it.commit()) {
        for (Map.Entry<TopicPartition, Sent> first :
            firsts.getOrDefault(it.transaction(), new TreeMap<>()).entrySet()) {
          Bounds cut = highest.get(first.getKey());
          if (cut != null && cut.logStartOffset() > first.getValue().offset()) {
            return Verdict.broken(
                "its transaction was open, and it was cut off",
                history.transactions().withEnd(it.transaction(), cut, it, first.getValue()));
          }
        }
      }
    }
    return Verdict.passed(occasions);
  }

  /** The first record of each transaction in each partition, as far as it was committed. */
  private static TreeMap<String, TreeMap<TopicPartition, Sent>> firsts(History history) {
    Shrinking shrinking = Shrinking.of(history);
    Transactions transactions = history.transactions();
    TreeMap<String, TreeMap<TopicPartition, Sent>> firsts = new TreeMap<>();
    for (Sent sent : history.all(Sent.class)) {
      if (sent.outcome() == Outcome.OK
          && shrinking.has(sent.partition())
          && transactions.fate(sent.transaction()) == Transactions.Fate.COMMITTED) {
        firsts
            .computeIfAbsent(sent.transaction(), t -> new TreeMap<>())
            .putIfAbsent(sent.partition(), sent);
      }
    }
    return firsts;
  }
}
