package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.StateLogged;
import io.fencepost.txn.txn.ProducerIdentity;
import java.util.List;
import java.util.TreeMap;

/** C2: the epoch of a transactional id only grows; another producer id was never there before. */
public final class EpochGrowth implements Check {
  @Override
  public String id() {
    return "C2";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(StateLogged.class);
  }

  @Override
  public String occasions() {
    return "transactional ids with two entries in the transaction log";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, StateLogged> last = new TreeMap<>();
    TreeMap<Long, StateLogged> known = new TreeMap<>();
    long occasions = 0;
    for (StateLogged now : history.all(StateLogged.class)) {
      StateLogged before = last.put(now.transactionalId(), now);
      ProducerIdentity producer = now.producer();
      StateLogged use = known.putIfAbsent(producer.producerId(), now);
      if (before == null) {
        continue;
      }
      occasions++;
      boolean isSame = before.producer().producerId() == producer.producerId();
      if (isSame && producer.epoch() < before.producer().epoch()) {
        return Verdict.broken("the epoch went back", before, now);
      }
      if (!isSame && use != null) {
        return Verdict.broken("a producer id was handed out again", use, before, now);
      }
    }
    return Verdict.passed(occasions);
  }
}
