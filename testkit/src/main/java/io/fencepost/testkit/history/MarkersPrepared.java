package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.MarkerLogged;
import io.fencepost.testkit.history.Event.StateLogged;
import io.fencepost.txn.txn.TxnState;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
  public List<Class<? extends Event>> needs() {
    return List.of(StateLogged.class, MarkerLogged.class);
  }

  @Override
  public String occasions() {
    return "markers";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, StateLogged> decided = new TreeMap<>();
    for (StateLogged entry : history.all(StateLogged.class)) {
      if (entry.state().isPrepared()) {
        for (TopicPartition partition : entry.partitions()) {
          decided.putIfAbsent(name(entry, partition), entry);
        }
      }
    }
    TreeSet<String> written = new TreeSet<>();
    for (MarkerLogged marker : history.all(MarkerLogged.class)) {
      String name = marker.partition() + " " + marker.producer() + " " + marker.commit();
      written.add(name);
      if (!decided.containsKey(name)) {
        return Verdict.missing("nobody decided on this marker", marker);
      }
    }
    for (Map.Entry<String, StateLogged> entry : decided.entrySet()) {
      if (!written.contains(entry.getKey())) {
        return Verdict.unfinished(
            "it was decided, and there is no marker: " + entry.getKey(), entry.getValue());
      }
    }
    return Verdict.passed(written.size());
  }

  private static String name(StateLogged entry, TopicPartition partition) {
    return partition + " " + entry.producer() + " " + (entry.state() == TxnState.PREPARE_COMMIT);
  }
}
