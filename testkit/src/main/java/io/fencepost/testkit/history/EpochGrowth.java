package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.StateLogged;
import io.fencepost.txn.txn.ProducerIdentity;
import java.util.TreeMap;
import java.util.TreeSet;

/** C2: the epoch of a transactional id only grows; another producer id was never there before. */
public final class EpochGrowth implements Check {
  @Override
  public String id() {
    return "C2";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, StateLogged> last = new TreeMap<>();
    TreeSet<Long> known = new TreeSet<>();
    long occasions = 0;
    for (StateLogged now : history.all(StateLogged.class)) {
      StateLogged before = last.put(now.transactionalId(), now);
      ProducerIdentity producer = now.producer();
      boolean isNew = known.add(producer.producerId());
      if (before == null) {
        continue;
      }
      occasions++;
      boolean isSame = before.producer().producerId() == producer.producerId();
      if (isSame ? producer.epoch() < before.producer().epoch() : !isNew) {
        return new Verdict.Fail("after " + before + " came " + now);
      }
    }
    return Verdict.passed(occasions);
  }
}
