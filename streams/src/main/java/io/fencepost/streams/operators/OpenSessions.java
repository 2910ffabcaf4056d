package io.fencepost.streams.operators;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The sessions of one key, in order and disjoint, as one entry of a store:
 *
 * <pre>
 * 8 bytes            plannedMs: where the plan looks for this key; at most the end of the first
 * per session:
 *   8 bytes each     startMs, endMs
 *   4 bytes          length of the aggregate
 *                    aggregate
 * </pre>
 *
 * <p>How many there are is bounded: each open one is at least as long as the gap, and ends after
 * event time minus grace.
 *
 * @param plannedMs {@link #UNPLANNED} if the key is not in the plan
 */
record OpenSessions(long plannedMs, List<Session> sessions) {
  static final long UNPLANNED = Long.MAX_VALUE;
  static final OpenSessions NONE = new OpenSessions(UNPLANNED, List.of());

  private static final int PLANNED_BYTES = 8;
  private static final int HEAD_BYTES = 20;

  /** One session, {@code [startMs, endMs)}. */
  record Session(long startMs, long endMs, byte[] aggregate) {
    boolean overlaps(long fromMs, long toMs) {
      return startMs < toMs && endMs > fromMs;
    }
  }

  static OpenSessions read(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    long plannedMs = buffer.getLong();
    List<Session> sessions = new ArrayList<>();
    while (buffer.hasRemaining()) {
      long startMs = buffer.getLong();
      long endMs = buffer.getLong();
      byte[] aggregate = new byte[buffer.getInt()];
      buffer.get(aggregate);
      sessions.add(new Session(startMs, endMs, aggregate));
    }
    return new OpenSessions(plannedMs, sessions);
  }

  byte[] write() {
    int size = PLANNED_BYTES;
    for (Session session : sessions) {
      size += HEAD_BYTES + session.aggregate().length;
    }
    ByteBuffer buffer = ByteBuffer.allocate(size).putLong(plannedMs);
    for (Session session : sessions) {
      buffer.putLong(session.startMs()).putLong(session.endMs());
      buffer.putInt(session.aggregate().length).put(session.aggregate());
    }
    return buffer.array();
  }

  Session first() {
    return sessions.get(0);
  }
}
