package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Led;
import io.fencepost.testkit.history.Event.MarkerLogged;
import io.fencepost.testkit.history.Event.TransactionalBatch;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

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
  public List<Class<? extends Event>> needs() {
    return List.of(Led.class);
  }

  @Override
  public String occasions() {
    return "claims to be leader";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, Led> leaders = new TreeMap<>();
    TreeMap<TopicPartition, Epoch> epochs = new TreeMap<>();
    long occasions = 0;
    for (Event event : history.events()) {
      if (event instanceof Led it) {
        Led before = leaders.putIfAbsent(it.partition() + " " + it.leaderEpoch(), it);
        occasions++;
        if (before != null && before.broker() != it.broker()) {
          return Verdict.broken("two brokers lead in one epoch", before, it);
        }
        continue;
      }
      Epoch now = epoch(event);
      Epoch before = now == null ? null : epochs.put(now.partition, now);
      if (now != null && before != null && now.leaderEpoch < before.leaderEpoch) {
        return Verdict.broken("the leader epoch goes back", before.event, now.event);
      }
    }
    return Verdict.passed(occasions);
  }

  /** In which epoch something was written to a log. */
  private record Epoch(TopicPartition partition, int leaderEpoch, Event event) {}

  private static @Nullable Epoch epoch(Event event) {
    if (event instanceof TransactionalBatch it) {
      return new Epoch(it.partition(), it.leaderEpoch(), it);
    }
    return event instanceof MarkerLogged it
        ? new Epoch(it.partition(), it.leaderEpoch(), it)
        : null;
  }
}
