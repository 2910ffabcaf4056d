package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Ended;
import io.fencepost.testkit.history.Event.OffsetSeen;
import io.fencepost.testkit.history.Event.Staged;
import java.util.TreeMap;

/**
 * P2 and P3: a committed offset comes from a transaction that may have committed, is at least that
 * of each transaction known to have committed before, and never moves back. Each group has one
 * writer, which stages growing offsets.
 */
public final class StagedOffsets implements Check {
  @Override
  public String id() {
    return "P2";
  }

  @Override
  public Verdict check(History history) {
    Transactions transactions = Transactions.of(history);
    TreeMap<String, Staged> stagedBy = new TreeMap<>();
    TreeMap<String, Long> floor = new TreeMap<>();
    TreeMap<String, String> transactionOfOffset = new TreeMap<>();
    long occasions = 0;
    for (Event event : history.events()) {
      if (event instanceof Staged it) {
        stagedBy.put(it.transaction(), it);
        transactionOfOffset.put(it.group() + "@" + it.offset(), it.transaction());
      } else if (event instanceof Ended it && it.commit() && it.outcome() == Outcome.OK) {
        Staged staged = stagedBy.get(it.transaction());
        if (staged != null) {
          floor.merge(staged.group(), staged.offset(), Math::max);
        }
      } else if (event instanceof OffsetSeen it) {
        long least = floor.getOrDefault(it.group(), -1L);
        if (it.offset() < least) {
          return new Verdict.Fail("offset %d was committed before %s".formatted(least, it));
        }
        if (it.offset() >= 0) {
          occasions++;
          String transaction = transactionOfOffset.get(it.group() + "@" + it.offset());
          if (transaction != null && transactions.fate(transaction) == Transactions.Fate.ABORTED) {
            return new Verdict.Fail("%s was aborted, and still %s".formatted(transaction, it));
          }
          floor.merge(it.group(), it.offset(), Math::max);
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
