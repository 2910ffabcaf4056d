package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Remnant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
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

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Remnant.class);
  }

  @Override
  public String occasions() {
    return "markers in replicas that have lost records";
  }

  /** What is left of a transaction in one replica. */
  private record Left(Remnant first, TreeMap<String, Remnant> transactions) {}

  /** One replica, read from its start. */
  private static final class Replica {
    private final TreeMap<Long, Left> open = new TreeMap<>();
    private long nextOffset;
    private long endedCount;
    private boolean hasGaps;

    @Nullable Verdict read(Remnant batch, Transactions transactions) {
      hasGaps |=
          batch.baseOffset() > nextOffset
              || batch.recordCount() <= batch.lastOffset() - batch.baseOffset();
      nextOffset = batch.lastOffset() + 1;
      long producerId = batch.producer().producerId();
      switch (batch.kind()) {
        case PLAIN -> {}
        case TRANSACTIONAL -> {
          Left left = open.computeIfAbsent(producerId, id -> new Left(batch, new TreeMap<>()));
          batch.transactions().forEach(name -> left.transactions.putIfAbsent(name, batch));
        }
        case COMMIT, ABORT -> {
          Left ended = open.remove(producerId);
          return ended == null ? null : end(ended, batch, transactions);
        }
      }
      return null;
    }

    private @Nullable Verdict end(Left ended, Remnant marker, Transactions transactions) {
      endedCount++;
      if (ended.transactions.size() > 1) {
        List<Event> witness =
            new ArrayList<>(ended.transactions.values().stream().distinct().toList());
        witness.add(marker);
        return Verdict.missing(
            "a marker between %s is gone".formatted(ended.transactions.keySet()),
            witness.toArray(Event[]::new));
      }
      Transactions.Fate wrong =
          marker.kind() == Remnant.Kind.COMMIT
              ? Transactions.Fate.ABORTED
              : Transactions.Fate.COMMITTED;
      for (String transaction : ended.transactions.keySet()) {
        if (transactions.fate(transaction) == wrong) {
          return Verdict.missing(
              "it is left of %s, and its marker is gone".formatted(transaction),
              transactions.withEnd(transaction, ended.first, marker));
        }
      }
      return null;
    }
  }

  @Override
  public Verdict check(History history) {
    Transactions transactions = history.transactions();
    TreeMap<String, Replica> replicas = new TreeMap<>();
    for (Remnant batch : history.all(Remnant.class)) {
      Verdict wrong =
          replicas
              .computeIfAbsent(batch.broker() + " " + batch.partition(), r -> new Replica())
              .read(batch, transactions);
      if (wrong != null) {
        return wrong;
      }
    }
    long occasions = 0;
    for (Replica replica : replicas.values()) {
      if (!replica.open.isEmpty()) {
        return Verdict.unfinished("its marker is gone", replica.open.firstEntry().getValue().first);
      }
      occasions += replica.hasGaps ? replica.endedCount : 0;
    }
    return Verdict.passed(occasions);
  }
}
