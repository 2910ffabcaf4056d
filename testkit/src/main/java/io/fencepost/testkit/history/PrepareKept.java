package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.StateLogged;
import io.fencepost.txn.txn.TxnState;
import java.util.List;
import java.util.TreeMap;

/** C5: an end that was decided durably is carried out, whoever coordinates by then. */
public final class PrepareKept implements Check {
  @Override
  public String id() {
    return "C5";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(StateLogged.class);
  }

  @Override
  public String occasions() {
    return "ends that were decided";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, StateLogged> prepared = new TreeMap<>();
    long occasions = 0;
    for (StateLogged now : history.all(StateLogged.class)) {
      StateLogged before = prepared.remove(now.transactionalId());
      if (before != null) {
        occasions++;
        TxnState due =
            before.state() == TxnState.PREPARE_COMMIT
                ? TxnState.COMPLETE_COMMIT
                : TxnState.COMPLETE_ABORT;
        if (now.state() != due) {
          return Verdict.broken("what was decided was not carried out", before, now);
        }
      }
      if (now.state().isPrepared()) {
        prepared.put(now.transactionalId(), now);
      }
    }
    return prepared.isEmpty()
        ? Verdict.passed(occasions)
        : Verdict.unfinished("never carried out", prepared.firstEntry().getValue());
  }
}
