package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Ended;
import io.fencepost.testkit.history.Event.OffsetAsked;
import io.fencepost.testkit.history.Event.OffsetSeen;
import io.fencepost.testkit.history.Event.Staged;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

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
  public Verdict check(History history) {
    Transactions transactions = Transactions.of(history);
    TreeMap<String, List<Staged>> stagedBy = new TreeMap<>();
    TreeMap<String, Long> floor = new TreeMap<>();
    TreeMap<String, Long> floorWhenAsked = new TreeMap<>();
    TreeMap<String, TreeSet<String>> transactionsOfOffset = new TreeMap<>();
    long occasions = 0;
    for (Event event : history.events()) {
      if (event instanceof Staged it) {
        stagedBy.computeIfAbsent(it.transaction(), t -> new ArrayList<>()).add(it);
        transactionsOfOffset
            .computeIfAbsent(
                key(it.group(), it.partition()) + "@" + it.offset(), o -> new TreeSet<>())
            .add(it.transaction());
      } else if (event instanceof Ended it && it.commit() && it.outcome() == Outcome.OK) {
        for (Staged staged : stagedBy.getOrDefault(it.transaction(), List.of())) {
          floor.merge(key(staged.group(), staged.partition()), staged.offset(), Math::max);
        }
      } else if (event instanceof OffsetAsked it) {
        String key = key(it.group(), it.partition());
        floorWhenAsked.put(key, floor.getOrDefault(key, -1L));
      } else if (event instanceof OffsetSeen it) {
        String key = key(it.group(), it.partition());
        Long asked = floorWhenAsked.remove(key);
        long least = asked == null ? floor.getOrDefault(key, -1L) : asked;
        if (it.offset() < least) {
          return new Verdict.Fail("offset %d was committed before %s".formatted(least, it));
        }
        if (it.offset() >= 0) {
          occasions++;
          TreeSet<String> stagers = transactionsOfOffset.get(key + "@" + it.offset());
          if (stagers != null
              && stagers.stream()
                  .allMatch(name -> transactions.fate(name) == Transactions.Fate.ABORTED)) {
            return new Verdict.Fail("%s were aborted, and still %s".formatted(stagers, it));
          }
          floor.merge(key, it.offset(), Math::max);
        }
      }
    }
    return Verdict.passed(occasions);
  }

  private static String key(String group, TopicPartition partition) {
    return group + " " + partition;
  }
}
