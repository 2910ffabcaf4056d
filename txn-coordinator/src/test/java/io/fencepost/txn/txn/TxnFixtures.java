package io.fencepost.txn.txn;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Short words for tests of the machine. */
final class TxnFixtures {
  static final String ID = "payments-1";
  static final int TIMEOUT = 60_000;
  static final long NOW = 1_000_000;
  static final TopicPartition A = new TopicPartition("a", 0);
  static final TopicPartition B = new TopicPartition("b", 1);

  private long next = 100;
  final TxnMachine machine = new TxnMachine(() -> next++, 900_000);

  static ProducerIdentity who(long id, int epoch) {
    return new ProducerIdentity(id, (short) epoch);
  }

  static TreeSet<TopicPartition> set(TopicPartition... partitions) {
    return new TreeSet<>(Arrays.asList(partitions));
  }

  /** An entry of producer 7 in the state, as version 2 clients leave it. */
  static TxnEntry entry(TxnState state, int epoch, int clientVersion) {
    boolean isOpen = !state.isIdle();
    return new TxnEntry(
        ID,
        who(7, epoch),
        state == TxnState.EMPTY || clientVersion < 2 ? ProducerIdentity.NONE : who(7, epoch - 1),
        -1,
        TIMEOUT,
        state,
        isOpen ? set(A) : set(),
        state == TxnState.EMPTY ? -1 : NOW - 10,
        NOW - 10,
        clientVersion);
  }

  TxnDecision decide(@Nullable TxnEntry entry, TxnEvent event) {
    return machine.decide(entry, event, NOW);
  }

  /** What a single request leads to when nothing fails: the final entry, or the error. */
  Outcome run(@Nullable TxnEntry entry, TxnEvent event) {
    TxnEntry at = entry;
    for (int steps = 0; steps < 6; steps++) {
      TxnDecision decision = machine.decide(at, event, NOW);
      if (decision instanceof TxnDecision.Refuse refuse) {
        return new Outcome(refuse.error(), at);
      }
      if (decision instanceof TxnDecision.Answer answer) {
        return new Outcome(WireError.NONE, answer.entry());
      }
      if (decision instanceof TxnDecision.Forget) {
        return new Outcome(WireError.NONE, null);
      }
      if (decision instanceof TxnDecision.FinishFirst first) {
        at = complete(first.prepared());
      }
      if (decision instanceof TxnDecision.Log log) {
        at = log.next();
        markers.add(at);
        if (log.then() == TxnDecision.Then.ANSWER) {
          markers.remove(at);
          return new Outcome(WireError.NONE, at);
        }
        at = complete(at);
        if (log.then() == TxnDecision.Then.FINISH) {
          return new Outcome(WireError.NONE, at);
        }
      }
    }
    throw new AssertionError("does not end: " + event);
  }

  TxnEntry complete(TxnEntry prepared) {
    return ((TxnDecision.Log) decide(prepared, new TxnEvent.MarkersDone())).next();
  }

  /** The prepared entries on the way. */
  final List<TxnEntry> markers = new ArrayList<>();

  record Outcome(WireError error, @Nullable TxnEntry entry) {
    TxnEntry known() {
      TxnEntry known = entry;
      if (known == null) {
        throw new AssertionError("no entry: " + error);
      }
      return known;
    }
  }
}
