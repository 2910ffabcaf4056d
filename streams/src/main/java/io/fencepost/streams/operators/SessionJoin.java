package io.fencepost.streams.operators;

import io.fencepost.streams.operators.OpenSessions.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;

/**
 * What a message does to the sessions of its key: those that its own window {@code [time, time +
 * gap)} overlaps, and that have not closed, become one with it.
 *
 * @param startMs of the session that results
 * @param endMs of the session that results
 * @param joined in order
 * @param others in order
 */
record SessionJoin(long startMs, long endMs, List<Session> joined, List<Session> others) {
  static SessionJoin of(
      List<Session> sessions, long timeMs, long gapMs, LongPredicate hasClosedByEnd) {
    long startMs = timeMs;
    long endMs = timeMs + gapMs;
    List<Session> joined = new ArrayList<>();
    List<Session> others = new ArrayList<>();
    for (Session session : sessions) {
      if (session.overlaps(timeMs, timeMs + gapMs) && !hasClosedByEnd.test(session.endMs())) {
        joined.add(session);
        startMs = Math.min(startMs, session.startMs());
        endMs = Math.max(endMs, session.endMs());
      } else {
        others.add(session);
      }
    }
    return new SessionJoin(startMs, endMs, joined, others);
  }

  /** All sessions, with the one that results at its place. */
  List<Session> with(byte[] aggregate) {
    List<Session> all = new ArrayList<>(others);
    int at = 0;
    while (at < all.size() && all.get(at).startMs() < startMs) {
      at++;
    }
    all.add(at, new Session(startMs, endMs, aggregate));
    return all;
  }
}
