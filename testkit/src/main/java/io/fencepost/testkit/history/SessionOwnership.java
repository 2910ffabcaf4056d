package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.StateLogged;
import io.fencepost.testkit.history.Event.TransactionalBatch;
import io.fencepost.txn.txn.ProducerIdentity;
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
  public Verdict check(History history) {
    TreeMap<Long, String> ownerById = new TreeMap<>();
    for (StateLogged entry : history.all(StateLogged.class)) {
      String owner = ownerById.putIfAbsent(entry.producer().producerId(), entry.transactionalId());
      if (owner != null && !owner.equals(entry.transactionalId())) {
        return new Verdict.Fail("%s has the producer id of %s".formatted(entry, owner));
      }
    }
    TreeMap<String, String> sessions = new TreeMap<>();
    long occasions = 0;
    for (TransactionalBatch batch : history.all(TransactionalBatch.class)) {
      ProducerIdentity producer = batch.producer();
      for (String transaction : batch.transactions()) {
        occasions++;
        String session = Transactions.sessionOf(transaction);
        String before = sessions.putIfAbsent(producer.toString(), session);
        if (before != null && !before.equals(session)) {
          return new Verdict.Fail(
              "%s wrote as %s, and %s too: %s".formatted(before, producer, session, batch));
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
