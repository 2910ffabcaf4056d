package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Scanned;
import io.fencepost.testkit.history.Event.Sent;
import java.util.List;
import java.util.TreeMap;

/**
 * A part of L7: retention takes from the start of a log only, and all that was committed behind the
 * start is there. Counts what is there in logs that have lost their start.
 */
final class TrimmedTail implements Check {
  @Override
  public String id() {
    return "L7";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Sent.class, Scanned.class);
  }

  @Override
  public String occasions() {
    return "records behind the start of a trimmed log";
  }

  @Override
  public Verdict check(History history) {
    Shrinking shrinking = Shrinking.of(history);
    Transactions transactions = history.transactions();
    Remains remains = Remains.of(history, Isolation.READ_COMMITTED);
    TreeMap<TopicPartition, Scanned> trimmed = new TreeMap<>();
    for (Scanned scan : remains.scans()) {
      if (!shrinking.isCompacted(scan.partition()) && scan.fromOffset() > 0) {
        trimmed.put(scan.partition(), scan);
      }
    }
    long occasions = 0;
    for (Sent sent : history.all(Sent.class)) {
      Scanned scan = trimmed.get(sent.partition());
      if (scan == null
          || sent.outcome() != Outcome.OK
          || sent.offset() < scan.fromOffset()
          || transactions.fate(sent.transaction()) != Transactions.Fate.COMMITTED) {
        continue;
      }
      occasions++;
      if (remains.lacks(sent.partition(), sent.offset())) {
        return Verdict.missing(
            "the log starts at %d, and a record behind that is gone".formatted(scan.fromOffset()),
            transactions.withEnd(sent.transaction(), sent, scan));
      }
    }
    return Verdict.passed(occasions);
  }
}
