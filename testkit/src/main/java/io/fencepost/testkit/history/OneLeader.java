package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Led;
import io.fencepost.testkit.history.Event.MarkerLogged;
import io.fencepost.testkit.history.Event.TransactionalBatch;
import java.util.TreeMap;

/**
 * C3: of one partition and leader epoch there is one leader, and so one coordinator; the epochs of
 * a log only grow.
 */
public final class OneLeader implements Check {
  @Override
  public String id() {
    return "C3";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, Integer> leaders = new TreeMap<>();
    TreeMap<String, Integer> epochs = new TreeMap<>();
    long occasions = 0;
    for (Event event : history.events()) {
      if (event instanceof Led it) {
        Integer before = leaders.putIfAbsent(it.partition() + " " + it.leaderEpoch(), it.broker());
        occasions++;
        if (before != null && before != it.broker()) {
          return new Verdict.Fail("broker " + before + " leads in the epoch of " + it);
        }
      } else if (event instanceof TransactionalBatch it) {
        if (!isGrowing(epochs, it.partition().toString(), it.leaderEpoch())) {
          return new Verdict.Fail("the leader epoch goes back at " + it);
        }
      } else if (event instanceof MarkerLogged it
          && !isGrowing(epochs, it.partition().toString(), it.leaderEpoch())) {
        return new Verdict.Fail("the leader epoch goes back at " + it);
      }
    }
    return Verdict.passed(occasions);
  }

  private static boolean isGrowing(TreeMap<String, Integer> epochs, String log, int epoch) {
    Integer before = epochs.put(log, epoch);
    return before == null || before <= epoch;
  }
}
