package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.StateLogged;
import io.fencepost.testkit.history.Event.TransactionalBatch;
import io.fencepost.txn.txn.ProducerIdentity;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeMap;

/**
 * C1: what stands in the log under one (producer id, epoch) comes from one session, and one
 * producer id belongs to one transactional id.
 */
public final class SessionOwnership implements Check {
  @Override
  public String id() {
    return "C1";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(TransactionalBatch.class);
  }

  @Override
  public String occasions() {
    return "batches whose transactions are known";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<Long, StateLogged> ownerById = new TreeMap<>();
    for (StateLogged entry : history.all(StateLogged.class)) {
      StateLogged owner = ownerById.putIfAbsent(entry.producer().producerId(), entry);
      if (owner != null && !owner.transactionalId().equals(entry.transactionalId())) {
        return Verdict.broken("two transactional ids have one producer id", owner, entry);
      }
    }
    LinkedHashMap<ProducerIdentity, Writer> writers = new LinkedHashMap<>();
    long occasions = 0;
    for (TransactionalBatch batch : history.all(TransactionalBatch.class)) {
      for (String transaction : batch.transactions()) {
        occasions++;
        Writer now = new Writer(Transactions.sessionOf(transaction), batch);
        Writer before = writers.putIfAbsent(batch.producer(), now);
        if (before != null && !before.session.equals(now.session)) {
          String sentence =
              "%s and %s wrote as %s".formatted(before.session, now.session, batch.producer());
          return before.batch.equals(batch)
              ? Verdict.broken(sentence, batch)
              : Verdict.broken(sentence, before.batch, batch);
        }
      }
    }
    return Verdict.passed(occasions);
  }

  private record Writer(String session, TransactionalBatch batch) {}
}
