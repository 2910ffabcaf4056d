package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Remnant;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A part of L7: in each replica that has lost records, whatever is left of a transaction still has
 * the marker that ended it, in front of anything that its producer wrote later. Counts such
 * markers.
 */
final class NeededMarkers implements Check {
  @Override
  public String id() {
    return "L7";
  }

  /** What is left of a transaction in one replica. */
  private record Left(Remnant first, TreeSet<String> transactions) {}

  /** One replica, read from its start. */
  private static final class Replica {
    private final TreeMap<Long, Left> open = new TreeMap<>();
    private long nextOffset;
    private long endedCount;
    private boolean hasGaps;

    @Nullable String read(Remnant batch, Transactions transactions) {
      hasGaps |=
          batch.baseOffset() > nextOffset
              || batch.recordCount() <= batch.lastOffset() - batch.baseOffset();
      nextOffset = batch.lastOffset() + 1;
      long producerId = batch.producer().producerId();
      switch (batch.kind()) {
        case PLAIN -> {}
        case TRANSACTIONAL ->
            open.computeIfAbsent(producerId, id -> new Left(batch, new TreeSet<>()))
                .transactions
                .addAll(batch.transactions());
        case COMMIT, ABORT -> {
          Left ended = open.remove(producerId);
          return ended == null ? null : end(ended, batch, transactions);
        }
      }
      return null;
    }

    private @Nullable String end(Left ended, Remnant marker, Transactions transactions) {
      endedCount++;
      if (ended.transactions.size() > 1) {
        return "a marker between %s is gone: the next is %s".formatted(ended.transactions, marker);
      }
      Transactions.Fate wrong =
          marker.kind() == Remnant.Kind.COMMIT
              ? Transactions.Fate.ABORTED
              : Transactions.Fate.COMMITTED;
      for (String transaction : ended.transactions) {
        if (transactions.fate(transaction) == wrong) {
          return "%s is left of %s, and its marker is gone: the next is %s"
              .formatted(ended.first, transaction, marker);
        }
      }
      return null;
    }
  }

  @Override
  public Verdict check(History history) {
    Transactions transactions = Transactions.of(history);
    TreeMap<String, Replica> replicas = new TreeMap<>();
    for (Remnant batch : history.all(Remnant.class)) {
      String wrong =
          replicas
              .computeIfAbsent(batch.broker() + " " + batch.partition(), r -> new Replica())
              .read(batch, transactions);
      if (wrong != null) {
        return new Verdict.Fail(wrong);
      }
    }
    long occasions = 0;
    for (Replica replica : replicas.values()) {
      if (!replica.open.isEmpty()) {
        return new Verdict.Fail(
            "its marker is gone: " + replica.open.firstEntry().getValue().first);
      }
      occasions += replica.hasGaps ? replica.endedCount : 0;
    }
    return Verdict.passed(occasions);
  }
}
