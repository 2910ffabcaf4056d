package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.MarkerLogged;
import io.fencepost.testkit.history.Event.StateLogged;
import io.fencepost.txn.txn.TxnState;
import java.util.TreeSet;

/**
 * C6: each marker has a decision for its partition, and each decision has its marker in every
 * partition of the transaction.
 */
public final class MarkersPrepared implements Check {
  @Override
  public String id() {
    return "C6";
  }

  @Override
  public Verdict check(History history) {
    TreeSet<String> decided = new TreeSet<>();
    for (StateLogged entry : history.all(StateLogged.class)) {
      if (entry.state().isPrepared()) {
        for (TopicPartition partition : entry.partitions()) {
          decided.add(name(entry, partition));
        }
      }
    }
    TreeSet<String> written = new TreeSet<>();
    for (MarkerLogged marker : history.all(MarkerLogged.class)) {
      String name = marker.partition() + " " + marker.producer() + " " + marker.commit();
      written.add(name);
      if (!decided.contains(name)) {
        return new Verdict.Fail("nobody decided on " + marker);
      }
    }
    for (String name : decided) {
      if (!written.contains(name)) {
        return new Verdict.Fail("decided and no marker there: " + name);
      }
    }
    return Verdict.passed(written.size());
  }

  private static String name(StateLogged entry, TopicPartition partition) {
    return partition + " " + entry.producer() + " " + (entry.state() == TxnState.PREPARE_COMMIT);
  }
}
